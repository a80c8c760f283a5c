"""Whether lomtree can be relied on: strange input, faults, long runs, other versions.

- fuzz     what strangers might send, for minutes or hours (`make fuzz`)
- hostile  the tests as an ordinary user, with bounds checks, with little memory (`make hostile`)
- kill     kill -9 at random moments of commands that write (`make soak`)
- worker_kills  kill -9 of workers at random moments of a training (`make cluster`)
- soak     a long stream whose classes come and go (`make soak`)
- bounds   what a bound on the statistics costs in errors (`make soak`)
- matrix   the tests' core and the same models on every Python and numba (`make matrix`)

fuzzers/ has what fuzz tries, vw_lines draws the lines for a running VW, killing has the children
that kill ends, watching tells whether they still work, drift makes the streams of kill and soak,
journal adds up what is done in pieces, noted_tests what hostile has run.
fuzz shares its generators and its naive parsers with tests/.
"""

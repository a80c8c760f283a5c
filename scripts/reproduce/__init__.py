"""The paper's experiments and its theory.

`make reproduce` runs these in turn; what one leaves in build/reproduce the next one reads:

- fetch    the data sets of datasets.toml, split as the paper does
- sweep    the paper's settings, on all cores
- finals   the best of them, trained once more and tested once
- figures  the paper's figures
- tables   the paper's tables, and which of its hypotheses hold

Run by themselves:

- accuracy             test errors with the defaults
- updates              which loss and update the paper's LOMtree needs
- held_out             what the program's parts are worth, on parts of the training data
- entropy_over_splits  the boosting theorem: G falls as nodes are added
- bottom_up_fails      the supplement's example of four classes
- toy_example          the supplement's example of the algorithm, step by step

The rest are their parts: catalog, entries, counts and origin describe the sets, sources finds their
files, download fetches one, builders make sets of what was fetched, examples parses them, grid has
the settings, trial trains one, workers are where, journal keeps rows, findings, hypotheses and
intervals say what came of it.
"""

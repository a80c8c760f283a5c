"""How fast lomtree is, and how much memory it takes; `make bench` runs the first eight.

- beside_vw          whole commands, in turn with Vowpal Wabbit's, on real sets and a made one
- beside_batch       napkinXC and omikuji, which hold all data in memory, on the same real sets
- ranker_cost        training with and without the ranker, and the default prediction beside VW's
- interactions       interactions and n-grams, in turn with Vowpal Wabbit's
- python_api         LomTreeClassifier beside the command line: fit, predict, one row at a time
- growth             time and memory of whole commands up to a million classes
- time_over_classes  time per example over the number of classes, for all algorithms
- work_over_classes  regressors asked and weights fetched over the number of classes, and errors
                     beside the least possible
- sharding           trees in shards beside the tree alone: errors, sizes, what each step costs
- cluster_speed      training on several workers of this machine beside one process
- cluster_simulation time and memory for a billion examples on many workers, from these
- collisions         how often two features of one example share a weight
- made, odp_like     print the data that these make
- in_short           the few figures that matter, from the tables that these write

The rest are their parts: costs and launcher measure a command, timings reads what --timings says,
texts prepares the data for both programs, regimes says which sets and tables are compared,
vw_commands how, vw_section what is written about it, and targets what is wanted. batch_matrix and
batch_learner are what beside_batch runs, and growth_plot draws.
"""

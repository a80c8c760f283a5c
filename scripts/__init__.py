"""What is done with lomtree beside using it: measuring, reproducing the paper, trying to break it.

Nothing here is installed. Run from the project's root, as `python -m scripts.bench.growth`; each
has --help. `make help` lists the targets that run them.

- bench        how fast, and in how much memory, beside Vowpal Wabbit and as classes grow
- reliability  what happens with strange input, kills, endless streams and other versions
- reproduce    the experiments of the paper, its tables and figures, and its theory

documents writes what docs/commands.md and docs/vw.md say of options, summaries what README.md and
the top of docs/results.md say of measurements.

Shared: command (command lines), report (sections of documents), picture (matplotlib), sets (where
data is), program (which code made a result), sharded_training (a tree in shards). python_stream
follows the estimator beside one of scikit-learn's. unicode_names makes data of Python itself and
needs nothing else: `python scripts/unicode_names.py`.
"""

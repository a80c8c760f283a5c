"""The command line: options in, the library's work, results out; and the warm-up of a first run.

May import everything; most of it when a command runs, so that --help answers at once.
"""

"""The command line: options in, the library's work, results out. Nothing else happens here.

May import everything; most of it when a command runs, so that --help answers at once.
"""

"""What everything else stands on: errors, options, the table of algorithms, and constants. Nothing
here imports numpy, so that --help and usage errors answer at once.

May import nothing of the package.
"""

"""Bytes become examples: files and pipes, decompression, lines, the formats of text, and the
sentences about what is wrong with a line. A new format is a module here and a row in `registry`.

May import lomtree.derived and what is below it. Learners and models never import this package.
"""

"""Vowpal Wabbit's command line: a table of its options, and what a line of them is here.

The rows are data: `files`, `learning`, `features` and `strangers` hold them, `table` is all of
them; `arguments` reads a command line by it, `translation` makes commands of this program out of
that, and `answer` is the sentence for one of VW's options that was typed to another command.

May import lomtree.core.
"""

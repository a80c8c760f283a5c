"""The operating system: files that are whole or not there, memory, threads, the clock, the
terminal.

May import lomtree.core.
"""

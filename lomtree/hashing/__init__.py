"""Hashes and random numbers in compiled code: VW's hash of names, random numbers without a state,
and what open-addressing tables share.

May import lomtree.jit and what is below it.
"""

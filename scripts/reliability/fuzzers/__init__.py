"""Inputs as strangers might send them, a module for each family of kinds; see fuzz.py.

A fuzzer is made with a folder of its own. Its `try_one` draws an input, tries it, and returns its
figure and how many lines it had. May import lomtree and what tests/ has to draw and to compare
with.
"""

"""Examples in memory, whatever they came from: batches of features, labels and their numbers, the
replay buffer for further passes, and the cache file.

May import lomtree.storage and what is below it. Knows no format of text.
"""

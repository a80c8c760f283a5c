"""Numbers with one meaning each, most of which stand for "there is none"."""

NO_NODE = -1  # in place of a node's number: a leaf's child, the root's parent
NO_LABEL = -1  # in place of a label's number: no label, or one that is not known
NO_SLOT = -1  # in place of a regressor's slot: a node that never split has none
NO_BLOCK = -1  # in place of a block of slots

# A regressor's slot is an int32: eight times its block, plus its place there, and there are at most
# as many blocks as internal nodes. No tree may have more of them, and so no more labels either.
MOST_INTERNAL_NODES = 2**28 - 1

BEAM = 8  # leaves of each tree that a search looks at, where nobody says otherwise

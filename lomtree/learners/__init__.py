"""The learners: `base` says what each of them does, `registry` finds one by its algorithm's name,
`ensemble` is several trees, `sharded` one tree in parts, `factory` chooses between them. Each
algorithm has a room: `lom` (Algorithm 1 of the paper), `label_tree` (Rtree and Filter tree), `oaa`
(one-against-all); `tree` is what the trees share.

May import lomtree.ranking and what is below it, never lomtree.formats. Algorithms do not import
each other.
"""

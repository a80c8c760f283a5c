"""Training: the trainer, which any source of examples can feed, and one run of `lomtree train`
around it, with progress, checkpoints, calibration and the warm-up of a first run.

May import lomtree.model, lomtree.formats and what is below them.
"""

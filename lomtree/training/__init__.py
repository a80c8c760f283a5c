"""Training: the trainer, which any source of examples can feed, and one run of `lomtree train`
around it, with progress, checkpoints and calibration.

May import lomtree.model, lomtree.formats and what is below them.
"""

"""From one machine to many: training and prediction as tasks of Dask, which alone is imported here.

May import everything but lomtree.cli; Dask and fsspec when they are needed.
"""

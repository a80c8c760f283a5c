"""Logarithmic time online multiclass prediction: a streaming learner for very many classes."""

__version__ = "0.1.0"

"""What a model answers: predictions as lines, and how many of them are right."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np

from lomtree.ahead import ahead
from lomtree.confusion import Confusions
from lomtree.model import Model
from lomtree.reader import Block, Reader
from lomtree.stopwatch import watch


def answer_blocks(model: Model, reader: Reader) -> Iterator[tuple[Block, np.ndarray, np.ndarray]]:
    """Every block of a reader with its answers (label numbers) and the depths of their leaves."""
    answers = depths = np.empty(0, np.int32)
    for block in ahead(reader):
        if block.count > len(answers):
            answers, depths = (
                np.empty(2 * block.count, np.int32),
                np.empty(2 * block.count, np.int32),
            )
        model.learner.predict(block.batch, block.count, answers, depths)
        yield block, answers[: block.count], depths[: block.count]


def predict_lines(model: Model, reader: Reader) -> Iterator[bytes]:
    """One line an example, in order: its label, then its tag; an empty one for a skipped line."""
    for block, answers, _depths in answer_blocks(model, reader):
        with watch.stage("write", examples=block.count):
            lines = model.labels.answer_lines(answers, block.text, block.spans, block.count)
        yield lines


@dataclass
class Score:
    """How well a model does on labelled examples."""

    examples: int = 0
    errors: int = 0
    depth_sum: int = 0
    largest_depth: int = 0

    @property
    def error(self) -> float:
        return self.errors / self.examples if self.examples else 0.0

    @property
    def interval(self) -> float:
        """Half the width of the binomial symmetrical 95% interval that the paper's tables show."""
        if not self.examples:
            return 0.0
        return 1.96 * sqrt(self.error * (1 - self.error) / self.examples)

    @property
    def mean_depth(self) -> float:
        return self.depth_sum / self.examples if self.examples else 0.0


def score_examples(model: Model, reader: Reader, confusions: Confusions | None = None) -> Score:
    """Compare answers with labels; a label that training never saw is an error like any other.

    Which labels were taken for which is counted in `confusions`.
    """
    score = Score()
    for block, answers, depths in answer_blocks(model, reader):
        count = block.count
        labels = block.batch.labels
        model.labels.look_up(block.text, block.spans, count, labels)
        good = block.spans.problem[:count] == 0
        score.examples += int(good.sum())
        score.errors += int((answers != labels[:count])[good].sum())
        score.depth_sum += int(depths[good].sum())
        score.largest_depth = max(score.largest_depth, int(depths[good].max(initial=0)))
        if confusions is not None:
            confusions.add(block, answers)
    return score

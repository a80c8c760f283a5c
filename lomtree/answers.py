"""What a model answers: predictions as lines, and how many of them are right.

Without a Search an answer is the paper's: that of the one leaf where a walk ends.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np

from lomtree.ahead import ahead
from lomtree.batch import GOOD
from lomtree.confusion import Confusions
from lomtree.labels import NONE, Labels
from lomtree.model import Model
from lomtree.ranking import Ranking
from lomtree.reader import Block, Reader
from lomtree.reliability import Reliability
from lomtree.stopwatch import watch


class Search(NamedTuple):
    """Look at the best `beam` leaves of a tree, and name the `top` best labels."""

    beam: int
    top: int


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


def rank_blocks(model: Model, reader: Reader, search: Search) -> Iterator[tuple[Block, Ranking]]:
    """Every block of a reader with its best labels."""
    for block in ahead(reader):
        yield block, model.learner.rank(block.batch, block.count, search.beam, search.top)


def predict_lines(model: Model, reader: Reader, search: Search | None = None) -> Iterator[bytes]:
    """One line an example, in order: its label, then its tag; an empty one for a skipped line."""
    if search is None:
        answered = ((block, answers) for block, answers, _ in answer_blocks(model, reader))
    else:
        answered = (
            (block, ranking.labels[:, 0].copy())
            for block, ranking in rank_blocks(model, reader, search)
        )
    for block, answers in answered:
        with watch.stage("write", examples=block.count):
            lines = model.labels.answer_lines(answers, block.text, block.spans, block.count)
        yield lines


def ranking_lines(model: Model, reader: Reader, search: Search) -> Iterator[bytes]:
    """The same, but every line has the best labels, each with its probability: label:0.98."""
    for block, ranking in rank_blocks(model, reader, search):
        with watch.stage("write", examples=block.count):
            lines = b"".join(_ranking_lines(model.labels, block, ranking))
        yield lines


def _ranking_lines(labels: Labels, block: Block, ranking: Ranking) -> Iterator[bytes]:
    known = {number: labels[number] for number in set(ranking.labels.ravel().tolist()) - {NONE}}
    spans, text = block.spans, block.text
    for example, (numbers, chances) in enumerate(
        zip(ranking.labels.tolist(), ranking.probabilities.tolist(), strict=True)
    ):
        words = []
        if spans.problem[example] == GOOD:
            words = [
                b"%b:%.4g" % (known[number], chance)
                for number, chance in zip(numbers, chances, strict=True)
                if number != NONE
            ]
            if spans.tag_begin[example] < spans.tag_end[example]:
                words.append(text[spans.tag_begin[example] : spans.tag_end[example]].tobytes())
        yield b" ".join(words) + b"\n"


@dataclass
class Score:
    """How well a model does on labelled examples."""

    examples: int = 0
    errors: int = 0
    depth_sum: int = 0
    largest_depth: int = 0
    reliability: Reliability | None = None  # of the probabilities, after a search

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


_LABELS_FOR_LOSS = 64  # how many labels of an example the log loss looks at


def score_examples(
    model: Model,
    reader: Reader,
    confusions: Confusions | None = None,
    search: Search | None = None,
) -> Score:
    """Compare answers with labels; a label that training never saw is an error like any other.

    Which labels were taken for which is counted in `confusions`. With a Search the score has a
    Reliability, too, and regressors asked instead of depths.
    """
    score = Score()
    answered: Iterator[tuple[Block, np.ndarray, np.ndarray, Ranking | None]]
    if search is None:
        answered = ((*answer, None) for answer in answer_blocks(model, reader))
    else:
        score.reliability = Reliability(search.top)
        wider = Search(search.beam, max(search.top, _LABELS_FOR_LOSS))
        answered = (
            (block, ranking.labels[:, 0], ranking.asked, ranking)
            for block, ranking in rank_blocks(model, reader, wider)
        )
    for block, answers, depths, ranking in answered:
        count = block.count
        labels = block.batch.labels
        model.labels.look_up(block.text, block.spans, count, labels)
        good = block.spans.problem[:count] == 0
        if score.reliability is not None and ranking is not None:
            score.reliability.add(ranking.only(good), labels[:count][good])
        score.examples += int(good.sum())
        score.errors += int((answers != labels[:count])[good].sum())
        score.depth_sum += int(depths[good].sum())
        score.largest_depth = max(score.largest_depth, int(depths[good].max(initial=0)))
        if confusions is not None:
            confusions.add(block, answers)
    return score

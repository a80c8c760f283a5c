"""How the ranker learns, slowly and obviously. Nothing is shared with the package but numbers that
were tuned.

The lists are told of the features that are new to a label, and of the others in its first, second,
fourth, eighth, ... example. Examples that are new may become exemplars. The regressors of an
example's label and of its rivals take a step of the softmax over them. Where there is hardly any
room left, labels that have not come for long are forgotten.
"""

import math
from collections import Counter

from lomtree.ranking.contenders import THRESHOLD
from lomtree.ranking.eviction import EVICT_EVERY, FULL, PATIENCE, SHARE
from lomtree.ranking.ranker import VOTE_EVERY
from lomtree.ranking.rivals import BUDGET, RIVALS, VOTED
from tests.oracles.exemplars import Exemplars
from tests.oracles.label_features import LabelFeatures
from tests.oracles.label_lists import LabelLists, best_of
from tests.oracles.label_trees import draw

NO_LABEL = -1


class Ranker:
    def __init__(
        self,
        most_rows=2**40,
        most_postings=2**40,
        evict_every=EVICT_EVERY,
        most_items=2**40,
    ):
        self.known = LabelFeatures(most_rows)
        self.lists = LabelLists(most_postings)
        self.exemplars = Exemplars(most_items)
        self.rivals = {}  # by label: those that ranked highest, best first
        self.learned = 0
        self.evict_every = evict_every
        self.first, self.last = {}, {}  # by label: how many examples came before
        self.events = Counter()

    def learn(self, features, xs, y, w, tree_rivals, mean_square, is_new=True):
        if y < 0 or w == 0:
            return
        w = float(w)
        if self.learned and self.learned % self.evict_every == 0 and self._is_full():
            self._evict()
        if y not in self.known.examples:
            self.first[y] = self.learned
        self.last[y] = self.learned
        before = set(self.known.sums[y])
        self.known.add_example(features, xs, y, w)
        whole = self._is_noted(self.known.examples[y])
        for feature, part in self.known.parts_of_cosine(features, y).items():
            if whole or feature not in before:
                self.lists.note(feature, y, part)
        if is_new:
            self.exemplars.add(features, xs, y, self.learned)
        rivals = self._rivals_of(features, xs, y, tree_rivals)
        scores = {label: self.known.score(features, xs, label) for label in [y, *rivals]}
        self._train(features, xs, y, w, scores, mean_square)
        self.rivals[y] = sorted(rivals, key=lambda label: -scores[label])[:RIVALS]
        self.events["rivals forgotten"] += len(rivals) > RIVALS

    def _is_full(self):
        known, lists = self.known, self.lists
        return known.rows > FULL * known.most_rows or lists.room > FULL * lists.most

    def _evict(self):
        living = [y for y in sorted(self.known.sums) if self.known.sums[y]]
        missing = {}
        for y in living:
            wait = (self.last[y] - self.first[y] + len(living)) / self.known.examples[y]
            missing[y] = (self.learned - self.last[y]) / max(wait, len(living))
        gone = [y for y in living if missing[y] > PATIENCE]
        for y in sorted(gone, key=lambda y: -missing[y])[: int(SHARE * len(living)) + 1]:
            self.known.forget(y)
            self.lists.forget(y)
            self.exemplars.forget(y)
            self.events["evicted"] += 1

    def _is_noted(self, number):
        """Of the label's examples, the first one is number 1."""
        noted = math.log2(number).is_integer()
        self.events["noted" if noted else "not noted"] += 1
        return noted

    def _rivals_of(self, features, xs, y, tree_rivals):
        named = [*self.rivals.get(y, []), *(r for r in tree_rivals if r != NO_LABEL)]
        if draw(0, self.learned) % VOTE_EVERY == 0:
            votes = self.lists.vote(features, xs, BUDGET)
            named += best_of(votes, 0.0, VOTED)
            self.events["voted"] += 1
        self.learned += 1
        return [label for label in dict.fromkeys(named) if label != y]

    def _train(self, features, xs, y, w, scores, mean_square):
        largest = max(scores.values())
        total = sum(math.exp(score - largest) for score in scores.values())
        for label, score in scores.items():
            slope = math.exp(score - largest) / total - (label == y)
            if abs(slope) > THRESHOLD:
                self.known.train(features, xs, label, slope, w, mean_square)
            else:
                self.events["too small to learn"] += 1

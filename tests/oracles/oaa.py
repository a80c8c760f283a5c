"""One regressor for each label, slowly and obviously. Nothing is shared with the package.

Every learned example says yes to its label and no to all others, those included that nobody knows
yet: one more regressor hears every no, and labels that come late begin as copies of it.
"""

from collections import Counter
from copy import deepcopy

from tests.oracles.regressor import Regressor, Rule, Scales, dot_in_order

NO_LABEL = -1


class OneAgainstAll:
    def __init__(self, rule: Rule, known=0, scales=None):
        """`known` labels have their regressors from the start."""
        self.scales = scales or Scales()
        self.regressors = [Regressor(rule, dot=dot_in_order) for _ in range(known)]  # by label
        self.unknown = Regressor(rule, dot=dot_in_order)  # of every label that has none yet
        self.trained = 0.0  # the importance of all learned examples
        self.seen = set()
        self.events = Counter()  # the rare things that happened
        self.moved = []  # of each learned example: the labels whose scores it changed

    def predict(self, features, values):
        """The seen label with the largest score, and the depth 0."""
        return self._best(features, self.scales.scaled(features, values)), 0

    def learn(self, features, values, y, w=1.0):
        """Learn one example; returns what would have been predicted before, and the depth 0. The
        scales have counted its values by then: they know no label."""
        if y < 0 or w == 0:
            return self.predict(features, values)
        xs = self.scales.learn(features, values)
        prediction = self._best(features, xs)
        while len(self.regressors) <= y:
            self.events["copied"] += len(self.unknown.weight) > 0
            self.regressors.append(deepcopy(self.unknown))
        moved, mean_square = [], self.scales.mean_square()
        for number, h in enumerate([*self.regressors, self.unknown]):
            before, c = h.score(features, xs), 1 if number == y else -1
            if h.train(features, xs, c, w, mean_square, self.trained) != before:
                moved.append(number)
        self.moved.append(moved)
        self.trained += float(w)
        self.seen.add(y)
        return prediction, 0

    def _best(self, features, xs):
        scores = [h.score(features, xs) for h in self.regressors]
        if not self.seen:
            return NO_LABEL
        largest = max(scores[y] for y in self.seen)
        best = [y for y in sorted(self.seen) if scores[y] == largest]
        self.events["tie"] += len(best) > 1
        self.events["an unseen label had the largest score"] += int(max(scores) > largest)
        return best[0]

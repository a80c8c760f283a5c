"""For each feature the labels that weigh it most, and their votes, slowly and obviously.

A list has room for 4, 8, ... 256 labels; then, and where all lists together have no more room, the
first of those that weigh least gives its place to one that weighs more. What weighed least when a
label last wanted a place is remembered: a list of 256 looks at nothing that does not weigh more,
be it of a label that is in the list or not.
"""

from collections import defaultdict

MOST_LABELS = 256


def room_of(length):
    room = 4
    while room < length:
        room *= 2
    return room


class LabelLists:
    def __init__(self, most=2**40):
        self.most = most
        self.lists = {}  # by feature: [[label, weight]], in the order in which they came
        self.least = {}  # by feature
        self.events = defaultdict(int)  # what happened how often

    @property
    def room(self):
        return sum(room_of(len(found)) for found in self.lists.values())

    def note(self, feature, label, weight):
        """A label weighs a feature so much now."""
        if feature not in self.lists:
            if self.room + 4 > self.most:
                self.events["no list"] += 1
                return
            self.lists[feature], self.least[feature] = [], 0.0
        found = self.lists[feature]
        if len(found) == MOST_LABELS and weight <= self.least[feature]:
            self.events["not looked at"] += 1
            return
        mine = [posting for posting in found if posting[0] == label]
        if mine:
            mine[0][1] = weight
        elif not found or self._may_have_one_more(found):
            found.append([label, weight])
        else:
            self._replace(feature, label, weight)

    def forget(self, label):
        """A label weighs nothing any more; a list without labels is none."""
        for feature, found in list(self.lists.items()):
            if any(posting[0] == label for posting in found):
                found[:] = [posting for posting in found if posting[0] != label]
                self.least[feature] = 0.0
            if not found:
                del self.lists[feature], self.least[feature]

    def _may_have_one_more(self, found):
        room = room_of(len(found))
        if len(found) < room:
            return True
        if room == MOST_LABELS:
            return False
        self.events["too much"] += self.room + room > self.most
        return self.room + room <= self.most

    def _replace(self, feature, label, weight):
        least = min(self.lists[feature], key=lambda posting: posting[1])
        if weight > least[1]:
            least[:] = label, weight
            self.events["replaced"] += 1
        self.least[feature] = min(weight for _, weight in self.lists[feature])

    def vote(self, features, xs, budget):
        """{label: votes} of the lists of an example's features, the largest values first, as long
        as they have no more labels than the budget."""
        votes = {}
        pairs = [pair for pair in zip(features, xs, strict=True) if pair[1] != 0]
        for feature, x in sorted(pairs, key=lambda pair: -abs(pair[1])):
            found = self.lists.get(feature, [])
            budget -= len(found)
            if budget < 0:
                self.events["budget used up"] += 1
                break
            for label, weight in found:
                votes[label] = votes.get(label, 0.0) + float(weight) * float(x)
        return votes


def best_of(masses, share, most):
    """The labels of {label: mass} that have most, of equals the one that came first; none but the
    first that has less than this share of the first."""
    best = sorted(masses, key=lambda label: -masses[label])[:most]
    return [label for label in best if label == best[0] or masses[label] >= share * masses[best[0]]]

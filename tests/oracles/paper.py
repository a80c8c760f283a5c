"""The paper's Algorithm 1 and nothing else: line by line from its pseudo-code, with linear
regressors that learn by online gradient descent with a constant step.

Four things are said differently, as the pseudo-code contradicts the text or stops:
  - t counts the non-leaf nodes, of which there are none in the beginning;
  - UpdateC also follows C_j++, since C is the size of the smallest leaf below a node;
  - Swap where there is no grandparent makes the sibling the root, and there is none where the
    smallest leaf is the splitting one;
  - a leaf that nobody came to yet has the label of its parent.
A step does not go beyond the target (where the loss is smallest there), as in VW.
"""

import math

import numpy as np

from tests.oracles.regressor import dot, slope_of

F = np.float32


class Node:
    def __init__(self, number):
        self.number, self.w = number, {}
        self.parent = self.left = self.right = None
        self.label = -1
        self.set_node()

    def set_node(self):
        self.m, self.l, self.n = {}, {}, {}
        self.sum_m = self.sum_n = 0.0  # footnote 10
        self.C = 0.0
        self.left = self.right = None

    @property
    def is_leaf(self):
        return self.left is None

    def e(self, y):
        return self.m[y] / self.n[y] if self.n[y] else 0.0

    def E(self):
        return self.sum_m / self.sum_n if self.sum_n else 0.0

    def h(self, features, xs):
        return dot([self.w.get(feature, F(0)) for feature in features], xs)

    def train(self, features, xs, c, loss, rate):
        """R(x, c): w -= rate * slope * x. Returns h(x) after it."""
        h, gain = self.h(features, xs), dot(xs, xs)
        slope = slope_of(loss, float(h), c)
        if slope == 0 or gain <= 0:
            return h
        size = rate * abs(slope)
        if loss != "logistic":
            size = min(size, abs(c - float(h)) / float(gain))
        step = F(-math.copysign(size, slope))
        for feature, x in zip(features, xs, strict=True):
            self.w[feature] = self.w.get(feature, F(0)) + step * x
        return h + step * gain

    def child(self, h):
        return self.left if h < 0 else self.right


class PaperTree:
    def __init__(self, T, R_S, loss="absolute", rate=0.5):
        self.T, self.R_S, self.loss, self.rate = T, R_S, loss, rate
        self.r = Node(0)
        self.nodes = [self.r]
        self.t = self.swaps = 0

    def update_C(self, v):
        while v is not self.r and v.parent.C != v.C:
            v = v.parent
            v.C = min(v.left.C, v.right.C)

    def swap(self, v):
        s = self.r
        while not s.is_leaf:  # C_s = C_r
            s = s.left if s.left.C == s.C else s.right
        if s in (v, self.r):
            return False
        pa, gpa = s.parent, s.parent.parent
        sibling = pa.right if pa.left is s else pa.left
        if gpa is None:
            self.r = sibling
        elif pa is gpa.left:
            gpa.left = sibling
        else:
            gpa.right = sibling
        sibling.parent = gpa
        self.update_C(sibling)
        s.set_node()
        pa.set_node()
        v.left, v.right = s, pa
        self.swaps += 1
        return True

    def split(self, j):
        if self.t < self.T:
            for side in ("left", "right"):
                self.nodes.append(Node(len(self.nodes)))
                setattr(j, side, self.nodes[-1])
            self.t += 1
        elif not j.C - max(j.l.values()) > self.R_S * (self.r.C + 1) or not self.swap(j):
            return
        for v in (j.left, j.right):
            v.parent, v.label = j, j.label
        j.left.C = float(math.floor(j.C / 2))
        j.right.C = j.C - j.left.C
        self.update_C(j.left)

    def learn(self, features, xs, y):
        j = self.r
        while True:
            if y not in j.l:
                j.m[y] = j.l[y] = j.n[y] = 0.0
            j.l[y] += 1
            if j.label not in j.l or j.l[y] > j.l[j.label]:
                j.label = y
            if j.is_leaf and len(j.l) >= 2:
                self.split(j)
            if j.is_leaf:
                j.C += 1
                self.update_C(j)
                return
            c = -1 if j.E() > j.e(y) else 1
            h = j.train(features, xs, c, self.loss, self.rate)
            j.n[y] += 1
            j.m[y] += float(h)
            j.sum_n += 1
            j.sum_m += float(h)
            j = j.child(h)

    def predict(self, features, xs):
        j = self.r
        while not j.is_leaf:
            j = j.child(j.h(features, xs))
        return j.label

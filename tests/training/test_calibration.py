"""With held-out examples, probabilities are fitted to them."""

import json

import numpy as np
import pytest

from lomtree.core.options import Options
from lomtree.learners.factory import new_learner
from lomtree.model.model_file import read_model
from lomtree.training.calibration import LEAST, POWERS, fit_inverse_temperature
from tests.generators.streams import BITS, batch_of, random_stream, teach


def loss_of(learner, batch, inverse_temperature):
    """The log loss of the probabilities with this inverse temperature, label by label."""
    learner.inverse_temperature = inverse_temperature
    ranking = learner.rank(batch, len(batch.labels), 16, 64)
    loss = 0.0
    for labels, chances, label in zip(
        ranking.labels, ranking.probabilities, batch.labels, strict=True
    ):
        chance = sum(float(c) for y, c in zip(labels, chances, strict=True) if y == label)
        loss -= np.log(max(chance, LEAST))
    return loss


@pytest.mark.parametrize("algorithm", ["lomtree", "rtree", "oaa"])
def test_the_power_with_the_smallest_log_loss_is_found(algorithm):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        stream = [one for one in random_stream(rng, 900, 8) if one.label >= 0]
        learner = new_learner(Options(algorithm=algorithm, bits=BITS, ranker=seed % 2 == 0))
        teach(learner, stream[:600])
        learner.inverse_temperature = 3.0  # of an earlier run
        held_out = batch_of(stream[600:])
        found = fit_inverse_temperature(learner, [held_out])
        losses = {power: loss_of(learner, held_out, power) for power in POWERS.tolist()}
        assert losses[found] == pytest.approx(min(losses.values()), rel=1e-3)


def test_without_examples_nothing_is_fitted():
    assert fit_inverse_temperature(new_learner(Options(bits=BITS)), []) is None


def test_the_model_keeps_what_was_fitted_and_probabilities_follow(lomtree, lines, tmp_path):
    text = b"".join(lines)
    plain, fitted = tmp_path / "plain", tmp_path / "fitted"
    lomtree("train", "-f", plain, stdin=text)
    done = lomtree("train", "-f", fitted, "--holdout", 0.3, stdin=text)
    inverse_temperature = read_model(str(fitted)).learner.inverse_temperature
    temperature = f"temperature {1 / inverse_temperature:.2g}\n"
    assert f"probabilities calibrated on held-out examples: {temperature}" in done.err
    assert inverse_temperature in POWERS
    assert read_model(str(plain)).learner.inverse_temperature == 1


def test_probabilities_promise_no_more_than_holds_where_labels_are_noise(lomtree, tmp_path):
    """Two labels are equally probable, always: no log loss is below log 2."""
    rng = np.random.default_rng(0)
    rows = [(rng.integers(4), rng.integers(3)) for _ in range(4000)]
    text = b"".join(b"%d |f w%d\n" % (2 * word + side % 2, word) for side, word in rows)
    for share in (0, 0.2):
        model = tmp_path / "model"
        lomtree("train", "-f", model, "--holdout", share, "--passes", 3, stdin=text)
        result = json.loads(lomtree("test", "-i", model, "--top", 2, "--json", stdin=text).out)
        assert result["calibration_error"] < 0.03
        assert result["log_loss"] < np.log(2) + 0.01


@pytest.mark.parametrize("factor", [0.3, 3.0])
def test_probabilities_that_are_too_timid_or_too_bold_are_fitted(factor):
    stream = [one for one in random_stream(np.random.default_rng(7), 1200, 8) if one.label >= 0]
    learner = new_learner(Options(bits=BITS))
    teach(learner, stream[:800])
    held_out = batch_of(stream[800:])
    before = loss_of(learner, held_out, fit_inverse_temperature(learner, [held_out]))
    learner.combination.weights[:] *= factor
    found = fit_inverse_temperature(learner, [held_out])
    assert (found < 1) == (factor > 1)
    assert loss_of(learner, held_out, 1.0) > loss_of(learner, held_out, found)
    assert loss_of(learner, held_out, found) == pytest.approx(before, rel=0.02)

"""Rankers that were trained apart become one: by dicts, the slow way, it is the same."""

import numpy as np

from lomtree.core.options import Options
from lomtree.ranking.label_features import FIRST_ROWS, most_rows, room_for
from lomtree.ranking.label_lists import MOST_LABELS
from lomtree.ranking.merging import merge_rankers
from lomtree.ranking.ranker_file import check_label_features
from lomtree.storage.state_dict import StateDict


def random_ranker(rng, labels, features):
    used, columns = [], {"feature": [], "sum": [], "weight": []}
    for _ in range(labels):
        own = np.sort(rng.choice(features, int(rng.integers(0, features)), replace=False))
        used.append(len(own))
        columns["feature"].append(own)
        columns["sum"].append(rng.normal(size=len(own)))
        columns["weight"].append(rng.normal(size=len(own)))
    kinds = {"feature": np.uint32, "sum": np.float32, "weight": np.float32}
    arrays = {f"ranker.{n}": np.concatenate(c).astype(kinds[n]) for n, c in columns.items()}
    arrays["ranker.used"] = np.array(used, np.int32)
    lists = {
        feature: rng.choice(labels, int(rng.integers(1, labels + 1)), replace=False)
        for feature in range(0, features, 2)
    }
    arrays["lists.feature"] = np.array(list(lists), np.uint32)
    arrays["lists.length"] = np.array([len(one) for one in lists.values()], np.int32)
    arrays["lists.label"] = np.concatenate(list(lists.values())).astype(np.int32)
    arrays["exemplars.count"] = np.ones(labels, np.int32)
    arrays["exemplars.length"] = np.full(labels, 2, np.int32)
    arrays["exemplars.feature"] = np.tile(np.array([1, 2], np.uint32), labels)
    arrays["exemplars.value"] = rng.normal(size=2 * labels).astype(np.float32)
    return arrays


def pairs_of(arrays, numbers, name):
    owners = np.repeat(np.arange(len(arrays["ranker.used"])), arrays["ranker.used"])
    keys = zip(numbers[owners].tolist(), arrays["ranker.feature"].tolist(), strict=True)
    return dict(zip(keys, arrays[f"ranker.{name}"].tolist(), strict=True))


def test_centroids_add_up_and_regressors_are_averaged():
    rng = np.random.default_rng(0)
    parts = [random_ranker(rng, labels, 9) for labels in (3, 5, 4)]
    numbers = [rng.permutation(7)[:n].astype(np.int32) for n in (3, 5, 4)]
    merged, same = merge_rankers(parts, numbers), np.arange(7)
    for name in ("sum", "weight"):
        each: dict = {}
        for part, own in zip(parts, numbers, strict=True):
            for key, value in pairs_of(part, own, name).items():
                each.setdefault(key, []).append(value)
        add = sum if name == "sum" else np.mean
        slowly = {key: add(values) for key, values in each.items()}
        found = pairs_of(merged, same, name)
        assert list(found) == sorted(slowly)
        assert np.allclose([found[key] for key in found], [slowly[key] for key in found], atol=1e-6)
    sums = pairs_of(merged, same, "sum")
    for label, length in enumerate(merged["ranker.length"]):
        own = [value for (of, _), value in sums.items() if of == label]
        assert np.isclose(length, sum(value * value for value in own))
        assert np.isclose(merged["ranker.total"][label], sum(map(abs, own)))


def test_lists_name_the_labels_that_weigh_a_feature_most():
    rng = np.random.default_rng(1)
    parts = [random_ranker(rng, 6, 8), random_ranker(rng, 6, 8)]
    numbers = [np.arange(6, dtype=np.int32), np.arange(3, 9, dtype=np.int32)]
    merged = merge_rankers(parts, numbers)
    sums, lengths = pairs_of(merged, np.arange(9), "sum"), np.sqrt(merged["ranker.length"])
    begin = 0
    for feature, length in zip(merged["lists.feature"], merged["lists.length"], strict=True):
        labels = merged["lists.label"][begin : begin + length].tolist()
        weights = merged["lists.weight"][begin : begin + length].tolist()
        begin += length
        assert len(set(labels)) == length <= MOST_LABELS
        assert weights == sorted(weights, reverse=True)
        wanted = [sums.get((n, int(feature)), 0.0) / max(lengths[n], 1e-150) for n in labels]
        assert np.allclose(weights, np.clip(wanted, -1, 1), atol=1e-6)


def test_empty_rankers_make_an_empty_one():
    empty = random_ranker(np.random.default_rng(0), 1, 1)
    empty = {name: array[:0] for name, array in empty.items()}
    merged = merge_rankers([empty, empty], [np.empty(0, np.int32)] * 2)
    assert all(len(array) == 0 for array in merged.values())


def labels_with(features: list[int], first: int = 0) -> dict:
    """A ranker whose labels have so many features each, from a first one on, and nothing else."""
    total, none = sum(features), np.empty(0, np.int32)
    columns = [np.arange(first, first + count) for count in features]
    arrays = {
        "ranker.used": np.array(features, np.int32),
        "ranker.feature": np.concatenate(columns).astype(np.uint32),
        "lists.weight": none.astype(np.float32),
        "exemplars.value": none.astype(np.float32),
    }
    arrays |= {f"ranker.{name}": np.ones(total, np.float32) for name in ("sum", "weight")}
    for name in ("lists.feature", "exemplars.feature"):
        arrays[name] = none.astype(np.uint32)
    for name in ("lists.length", "lists.label", "exemplars.count", "exemplars.length"):
        arrays[name] = none
    return arrays


def test_labels_of_two_full_shards_have_room_for_the_features_of_both():
    """What is room for 24 features in one shard, and for 6 in another, is too little for 30 if it
    only adds up."""
    options = Options(bits=10, shards=2)
    parts = [labels_with([24] * 128), labels_with([6] * 128 + [24] * 96, first=24)]
    for part in parts:
        rooms = sum(int(room_for(count)) for count in part["ranker.used"])
        assert rooms == FIRST_ROWS == most_rows(Options(bits=10))
    everyone = np.arange(224, dtype=np.int32)
    merged = merge_rankers(parts, [everyone[:128], everyone])
    stored = check_label_features(StateDict({}, merged), options, 224, learning=False)
    assert stored.used.tolist() == [30] * 128 + [24] * 96
    assert stored.room > 2 * FIRST_ROWS

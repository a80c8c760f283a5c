"""The functions below the estimator: streams in, models and predictions out."""

import lomtree


def test_a_file_and_memory_are_learned_alike(data, lines, tmp_path):
    by_file = lomtree.learn(lomtree.Model.new(lomtree.Options(bits=18)), lomtree.open(data), 2)
    in_memory = lomtree.Model.new(lomtree.Options(bits=18))
    lomtree.learn(in_memory, lomtree.examples_of(iter(lines)), passes=2)
    for model, name in ((by_file, "file"), (in_memory, "memory")):
        lomtree.write_model(model, str(tmp_path / name))
    assert (tmp_path / "file").read_bytes() == (tmp_path / "memory").read_bytes()


def test_predictions_come_batch_by_batch(lines):
    model = lomtree.Model.new(lomtree.Options(bits=18))
    lomtree.learn(model, lomtree.examples_of(lines, list(range(20)) * 15), passes=2)
    [best] = lomtree.predict(model, lomtree.examples_of(lines))
    assert best.labels.shape == best.probabilities.shape == (300,)
    assert best.labels.dtype.kind == "i"
    [three] = lomtree.predict(model, lomtree.examples_of(lines), top=3)
    assert three.labels.shape == (300, 3)
    assert three.labels[:, 0].tolist() == best.labels.tolist()
    [walked] = lomtree.predict(model, lomtree.examples_of(lines), walk=True)
    assert walked.probabilities is None
    assert len(walked.labels) == 300

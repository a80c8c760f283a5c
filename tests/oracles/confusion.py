"""Which labels are taken for which others, counted from pairs of truth and prediction."""

from collections import Counter, defaultdict


def shown(label: bytes) -> str | None:
    return label.decode("utf-8", "backslashreplace") or None


def naive_confusion(pairs: list[tuple[bytes, bytes]]) -> list[dict]:
    examples = Counter(truth for truth, _ in pairs)
    wrong = Counter(pair for pair in pairs if pair[0] != pair[1])
    return [
        {
            "truth": shown(truth),
            "prediction": shown(prediction),
            "count": count,
            "share": count / examples[truth],
        }
        for (truth, prediction), count in sorted(
            wrong.items(), key=lambda item: (-item[1], item[0])
        )
    ]


def naive_by_label(pairs: list[tuple[bytes, bytes]]) -> list[dict]:
    predictions_for = defaultdict(Counter)
    for truth, prediction in pairs:
        predictions_for[truth][prediction] += 1
    predicted = Counter(prediction for _, prediction in pairs)
    ordered = []
    for label, predictions in predictions_for.items():
        examples, right = sum(predictions.values()), predictions.pop(label, 0)
        errors = examples - right
        wrong = min(
            predictions, key=lambda prediction: (-predictions[prediction], prediction), default=b""
        )
        row = {
            "label": shown(label),
            "examples": examples,
            "errors": errors,
            "error": errors / examples,
            "precision": right / predicted[label] if predicted[label] else None,
            "wrong_prediction": shown(wrong),
        }
        ordered.append((-errors, -errors / examples, label, row))
    return [row for *_, row in sorted(ordered, key=lambda entry: entry[:3])]

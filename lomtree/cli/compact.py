"""lomtree compact."""

import click

from lomtree.cli.options import FILE, command, require_stdout, say, say_compiling
from lomtree.storage.purposes import Purpose
from lomtree.system.atomic_file import STANDARD, check_writable
from lomtree.system.overwriting import refuse_overwriting

_ENDING = "weights and sums are rounded to 8 significant bits; what only training needs is dropped"


@command(
    epilog="  lomtree compact model.lom -f small.lom\n"
    "  ssh host cat model.lom | lomtree compact - -f small.lom"
)
@click.argument("model", type=FILE)
@click.option(
    "-f",
    "--final-model",
    "target",
    type=FILE,
    required=True,
    metavar="SMALL",
    help="Where to write it; '-' is stdout.",
)
@click.option("--quiet", is_flag=True, help="Print nothing on stderr but errors.")
def compact(model, target, quiet) -> None:
    """Write MODEL as a small one that only predicts, as train --predict-only does.

    What was dropped is told on stderr, part by part. Some predictions change where two labels were
    next to equal; how many, lomtree test -i tells of both.
    """
    if target == STANDARD:
        require_stdout()
    refuse_overwriting([("-f", target)], [("the model", model)])
    check_writable(target)
    say_compiling(quiet)
    from lomtree.model.model_file import ModelBeingRead, write_parts

    reading = ModelBeingRead(model, Purpose.RANK)
    read = reading.model()
    after = write_parts(read, target, predict_only=True)
    say([*_table(reading.sizes, after), _ENDING], quiet)


def _table(before: dict[str, int], after: dict[str, int]) -> list[str]:
    """A line for each part of a model, and one for all."""
    rows = [(part, size, after.get(part, 0)) for part, size in before.items()]
    rows.append(("all", sum(before.values()), sum(after.values())))
    lines = [f"{'part':12} {'bytes before':>14} {'after':>14}"]
    return lines + [f"{part:12} {old:14,} {new:14,}" for part, old, new in rows]

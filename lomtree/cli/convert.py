"""lomtree convert."""

import click

from lomtree.cli.options import FILE, command, input_options, require_stdout, say, say_compiling
from lomtree.core.reading import PLAIN
from lomtree.system.atomic_file import STANDARD, check_writable, open_to_replace
from lomtree.system.overwriting import refuse_existing, refuse_overwriting
from lomtree.system.progress_bar import progress_bar


@command(
    epilog="  lomtree convert table.csv --label kind --text title --to vw table.vw\n"
    "  lomtree convert train.ft train.vw --to vw\n"
    "  zcat train.vw.gz | lomtree convert - train.parquet --to parquet\n"
    "  lomtree convert train.svm - --to vw"
)
@click.option(
    "--to",
    "target",
    type=click.Choice(["vw", "libsvm", "fasttext", "parquet"]),
    required=True,
    help="Format to write.",
)
@input_options
@click.argument("out", type=FILE)
def convert(sources, out, target, format, on_error, quiet, reading) -> None:
    """Write the examples of DATA to OUT in another format, with their names. A file OUT
    that is there already is not replaced.

    Names are kept, so that a model learns the same from both. What OUT cannot express stops the
    run with a sentence: libsvm has whole numbers for names, fastText has words and one label.
    Parquet has the columns label, importance, tag and features, a map from names to values.
    """
    inputs = [("the data", path) for path in sources]
    if out == STANDARD:
        require_stdout()
    refuse_overwriting([("standard output" if out == STANDARD else "OUT", out)], inputs)
    check_writable(out)
    refuse_existing(out)
    say_compiling(quiet)
    from lomtree.formats.conversion import records_of
    from lomtree.formats.reader import Reader
    from lomtree.formats.writing import WRITERS

    reader = Reader(sources, format, on_error, reading=PLAIN.changed(reading))
    with open_to_replace(out) as file, progress_bar(reader.size, shown=not quiet) as bar:
        writer = WRITERS[target](file)
        for examples in reader:
            writer.write(records_of(examples))
            bar.move_to(reader.bytes_read)
        writer.close()
    if reader.skipped:
        say([f"skipped {reader.skipped:,} bad lines"], quiet)

"""The examples of Arrow's batches in memory, as they would be read from a file of Parquet."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from lomtree.core.derivations import NOTHING, Derivations
from lomtree.core.reading import Reading
from lomtree.examples.examples import Examples
from lomtree.formats.reader import Reader

if TYPE_CHECKING:
    import pyarrow


def read_batches(
    batches: "Iterable[pyarrow.RecordBatch]",
    reading: Reading,
    labels_required: bool = False,
    on_error: str = "stop",
    derived: Derivations = NOTHING,
) -> Iterator[Examples]:
    """`Table.to_batches()`, a RecordBatchReader; DataError as a Reader raises it."""
    from lomtree.formats.arrow import ArrowLayout, cut

    reader = Reader([], "parquet", on_error, labels_required, derived=derived)
    layout, first_row = ArrowLayout("the table", reading, labels_required), 1
    for whole in batches:
        layout.see(whole)
        for batch in cut(whole):
            yield from reader.read_rows(batch, layout, first_row)
            first_row += batch.num_rows

"""Formats that examples can be written in; what one of them cannot express is told."""

import re
from collections.abc import Iterable
from typing import Any, BinaryIO

from lomtree.core.errors import LomtreeError
from lomtree.formats.conversion import Record, shown

_MOST_REPEATED = 1000  # a word of fastText's text that counts more than once
_MOST_BYTES = 1 << 20  # that a word becomes which is repeated
_GROUP_ROWS = 1 << 14
_INDICES = 2**32
_DIGITS = 11  # with so many a number is larger than an index in any case


class VwWriter:
    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, records: Iterable[Record]) -> None:
        self._file.write(b"".join(self._line(record) for record in records))

    def _line(self, record: Record) -> bytes:
        label, tag = record.label, record.tag
        if re.search(rb"[ \t|:]|^'", label):
            raise record.error(f"the label '{shown(label)}'", "VW text")
        if re.search(rb"[ \t|]", tag):
            raise record.error(f"the tag '{shown(tag)}'", "VW text")
        words = [label] if label else []
        if record.importance != 1:
            if not label:
                raise record.error("an importance without a label", "VW text")
            words.append(b"%.9g" % record.importance)
        words += [b"'" + tag] if tag else []
        return b" ".join([*words, record.body.rstrip()]) + b"\n"

    def close(self) -> None:
        pass


class LibsvmWriter(VwWriter):
    def _line(self, record: Record) -> bytes:
        label = record.label
        values: dict[int, bytes] = {}
        if re.search(rb"[ \t:]|^#", label):
            raise record.error(f"the label '{shown(label)}'", "libsvm text")
        if record.importance != 1:
            raise record.error("an importance", "libsvm text")
        for feature in record.features():
            name = feature.name
            digits = name.lstrip(b"0")[:_DIGITS] or b"0"
            if feature.namespace or not name.isdigit() or int(digits) >= _INDICES:
                raise record.error(f"the feature '{_full_name(*feature[:2])}'", "libsvm text")
            index = int(digits)
            again = index in values
            values[index] = (
                repr(float(values[index]) + feature.value).encode()
                if again
                else feature.written or b"1"
            )
        words = [label] if label else []
        words += [b"%d:%b" % (index, values[index]) for index in sorted(values)]
        words += [b"# " + record.tag] if record.tag else []
        return b" ".join(words) + b"\n"


class FastTextWriter(VwWriter):
    def _line(self, record: Record) -> bytes:
        label = record.label
        if re.search(rb"[\s\0]", label):
            raise record.error(f"the label '{shown(label)}'", "fastText's text")
        if record.importance != 1:
            raise record.error("an importance", "fastText's text")
        if record.tag:
            raise record.error("a tag", "fastText's text")
        prefix = b"" if label.startswith(b"__label__") or not label else b"__label__"
        words = [prefix + label] if label else []
        namespaces = set()
        for feature in record.features():
            namespaces.add(feature.namespace)
            most = min(_MOST_REPEATED, max(1, _MOST_BYTES // (len(feature.name) + 1)))
            whole = feature.value == int(feature.value) and 0 <= feature.value <= most
            if len(namespaces) > 1:
                raise record.error("more than one namespace", "fastText's text")
            if not whole or feature.name.startswith(b"__label__"):
                name = _full_name(*feature[:2])
                raise record.error(f"the feature '{name}:{feature.value:g}'", "fastText's text")
            words += [feature.name] * int(feature.value)
        return b" ".join(words) + b"\n"


class ParquetWriter:
    """Columns label, importance, tag, and features: a map from namespace^name to value."""

    def __init__(self, file: BinaryIO) -> None:
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise LomtreeError("Parquet needs pyarrow: pip install 'lomtree[arrow]'") from None
        self._pyarrow = pyarrow
        self._schema = pyarrow.schema(
            [
                ("label", pyarrow.string()),
                ("importance", pyarrow.float32()),
                ("tag", pyarrow.string()),
                ("features", pyarrow.map_(pyarrow.string(), pyarrow.float32())),
            ]
        )
        self._writer = pyarrow.parquet.ParquetWriter(file, self._schema)
        self._rows: list[dict[str, Any]] = []

    def write(self, records: Iterable[Record]) -> None:
        for record in records:
            self._rows.append(self._row(record))
            if len(self._rows) == _GROUP_ROWS:
                self._flush()

    def _row(self, record: Record) -> dict[str, Any]:
        try:
            return {
                "label": record.label.decode() or None,
                "importance": record.importance,
                "tag": record.tag.decode() or None,
                "features": [
                    (_full_name(feature.namespace, feature.name, strict=True), feature.value)
                    for feature in record.features()
                ],
            }
        except UnicodeDecodeError:
            raise record.error("what is not UTF-8", "Parquet") from None

    def _flush(self) -> None:
        self._writer.write_table(self._pyarrow.Table.from_pylist(self._rows, self._schema))
        self._rows = []

    def close(self) -> None:
        if self._rows:
            self._flush()
        self._writer.close()


def _full_name(namespace: bytes, name: bytes, strict: bool = False) -> str:
    """namespace^name; the name alone in the default namespace, unless it has a '^' itself."""
    whole = namespace + b"^" + name if namespace or b"^" in name else name
    return whole.decode() if strict else shown(whole)


WRITERS: dict[str, type[VwWriter] | type[ParquetWriter]] = {
    "vw": VwWriter,
    "libsvm": LibsvmWriter,
    "fasttext": FastTextWriter,
    "parquet": ParquetWriter,
}

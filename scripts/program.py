"""Which program made a result: its version, and a checksum of its code, which changes meanwhile."""

import zlib
from pathlib import Path

import lomtree


def checksum(folder: Path) -> str:
    found = 0
    for path in sorted(folder.rglob("*.py")):
        found = zlib.crc32(path.read_bytes(), found)
    return f"{found:08x}"


PROGRAM = f"{lomtree.__version__}-{checksum(Path(lomtree.__file__).parent)}"

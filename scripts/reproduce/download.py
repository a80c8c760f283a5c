"""One file over HTTP: whole, checked and in its place, or not there at all.

What has arrived lies beside it as <name>.part, so the next try asks for the rest alone.
"""

import hashlib
import json
import time
import urllib.error
import urllib.request
from http.client import HTTPException
from pathlib import Path

from tqdm import tqdm

_PIECE = 1 << 16
_TIMEOUT = 30  # seconds without a byte


class DownloadError(Exception):
    """What went wrong, in a sentence."""


class Checksums:
    """Those of files that were fetched, noted in a file: what comes later, from wherever, must be
    the same."""

    def __init__(self, note: Path) -> None:
        self._note = note

    def known(self, name: str) -> str:
        return self._read().get(name, "")

    def record(self, name: str, sha256: str) -> None:
        self._note.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(self._read() | {name: sha256}, indent=1, sort_keys=True)
        unfinished = self._note.with_name(self._note.name + ".part")
        unfinished.write_text(text + "\n", encoding="utf-8")
        unfinished.replace(self._note)

    def _read(self) -> dict[str, str]:
        try:
            return json.loads(self._note.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except ValueError:
            raise DownloadError(f"{self._note} is no JSON: remove it, or mend it") from None


def download(url: str, target: Path, sha256: str = "", tries: int = 3, wait: float = 1.0) -> None:
    """Fetch `url` into `target`, going on where an earlier try broke off."""
    if target.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    for left in reversed(range(tries)):
        try:
            _fetch_rest(url, part)
            break
        except urllib.error.HTTPError as error:
            if error.code < 500 or not left:
                said = " ".join(str(error.reason).split())  # of redirects in a circle: lines
                raise DownloadError(f"{url}: the server says {error.code} {said}") from None
        except (OSError, HTTPException) as error:
            if not left:
                raise DownloadError(f"{url}: {getattr(error, 'reason', error)}") from None
        time.sleep(wait)
    if sha256 and (found := digest(part)) != sha256:
        part.unlink()  # whatever it is, more of it would not help
        raise DownloadError(f"{url}: its SHA-256 is {found}, not {sha256}")
    part.replace(target)


def _fetch_rest(url: str, part: Path) -> None:
    """Add to `part` what it lacks; ConnectionError if the response ends before it should."""
    have = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(url, headers={"User-Agent": "lomtree"})
    if have:
        request.add_header("Range", f"bytes={have}-")
    try:
        response = urllib.request.urlopen(request, timeout=_TIMEOUT)  # it follows redirects
    except urllib.error.HTTPError as error:
        if error.code == 416 and error.headers.get("Content-Range") == f"bytes */{have}":
            return  # all of it is here already
        if error.code == 416:
            part.unlink()  # the file has changed: from the beginning
            raise ConnectionError("the file has changed since it was begun") from None
        raise
    with response:
        if response.status != 206:  # the server cannot resume: from the beginning
            have = 0
        length = response.headers.get("Content-Length")
        total = have + int(length) if length else None
        name = part.name.removesuffix(".part")
        with (
            part.open("ab" if have else "wb") as file,
            tqdm(total=total, initial=have, unit="B", unit_scale=True, desc=name, delay=1) as bar,
        ):
            while piece := response.read(_PIECE):
                file.write(piece)
                bar.update(len(piece))
    if total is not None and part.stat().st_size < total:
        raise ConnectionError(f"broken off after {part.stat().st_size:,} of {total:,} bytes")


def digest(path: Path) -> str:
    found = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            found.update(piece)
    return found.hexdigest()

"""What an entry of datasets.toml, or of a file like it, may say; and what is wrong with one."""

import re
from collections.abc import Iterator
from typing import Any

from scripts.reproduce.builders import BUILDERS

# And how names of their files end; "auto" is what the first line tells.
FORMATS = {"vw": "vw", "libsvm": "svm", "fasttext": "txt", "auto": "txt"}
LAYOUTS = ("csv-label-last",)
PLACES = ("path", "url", "mirrors", "source")  # where a set comes from
COUNTED = ("features", "classes", "examples")
MOST_SPLITS = 10  # each has another tenth for testing
KINDS = {  # of which type a fact is
    "title": str, "source": str, "license": str, "stands_for": str, "format": str, "suffix": str,
    "layout": str, "builder": str, "path": (str, list), "url": (str, list), "mirrors": list,
    "sha256": dict, "made": dict, "paper": dict, "pool": bool, "large": bool, "splits": int,
    "download": str, "disk": str, "time": str, "features": int, "classes": int, "examples": int,
}  # fmt: skip

_is_name = re.compile(r"[\w-]+").fullmatch  # of a folder, and of a set whose splits have a dot
_is_address = re.compile(r"https?://[^/]+/.*[^/]|pypi:.+==.+").fullmatch


def listed(one_or_more: Any) -> list[Any]:
    return one_or_more if isinstance(one_or_more, list) else [one_or_more]


def problem_of(name: str, facts: Any) -> str:
    """The first thing that is wrong with an entry; nothing, if it is well."""
    return next(_problems(name, facts), "")


def _problems(name: str, facts: Any) -> Iterator[str]:
    if not isinstance(facts, dict):
        yield "is no table: a set is [name] with lines like path = ... below it"
        return
    if not _is_name(name):
        yield "is no name for a set: it takes letters, digits, - and _"
    yield from _wrong_types(facts)
    yield from _wrong_places(facts)
    yield from _unknown_words(facts)
    if not 1 <= facts.get("splits", 1) <= MOST_SPLITS:
        yield f"has splits = {facts['splits']}; from 1 to {MOST_SPLITS} are possible"
    if facts.get("large") and not all(count in facts for count in COUNTED):
        yield f"is large, so it is not counted: it must say {', '.join(COUNTED)}"


def _wrong_types(facts: dict[str, Any]) -> Iterator[str]:
    for key, value in facts.items():
        if key not in KINDS:
            yield f"has the unknown key {key!r}; known are {', '.join(KINDS)}"
            return
        kind = KINDS[key]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            yield f"has {key} = {value!r}, which is of the wrong type"


def _wrong_places(facts: dict[str, Any]) -> Iterator[str]:
    given = [place for place in PLACES if place in facts]
    if not given:
        yield "says neither path nor url: where is it?"
    if {"path", "url"} <= set(given):
        yield "says path and url: which of them is it?"
    for place in ("path", "url"):
        if place in facts:
            yield from _wrong_files(place, facts[place], is_url=place == "url")
    for mirror in facts.get("mirrors", []):
        if not isinstance(mirror, dict) or "urls" not in mirror:
            yield f"has the mirror {mirror!r}, which is not {{ urls = [...] }}"
        else:
            yield from _wrong_files("urls", mirror["urls"], is_url=True)


def _wrong_files(key: str, value: Any, is_url: bool) -> Iterator[str]:
    files = listed(value)
    if not 1 <= len(files) <= 2:
        yield f"has {key} with neither one file nor two, to train with and to test"
    for one in files:
        if not isinstance(one, str) or not one:
            yield f"has {one!r} in {key}, which is no name of a file"
        elif is_url and not _is_address(one):
            yield f"has {one!r} in {key}, which is no http:// or https:// address of a file"


def _unknown_words(facts: dict[str, Any]) -> Iterator[str]:
    known = ", ".join(FORMATS)
    if "format" not in facts:
        yield f"has no format; it is one of {known}"
    elif facts["format"] not in FORMATS:
        yield f"has format = {facts['format']!r}; it is one of {known} (lomtree convert makes vw)"
    for key, words in (("layout", LAYOUTS), ("builder", tuple(BUILDERS))):
        if facts.get(key, words[0]) not in words:
            yield f"has {key} = {facts[key]!r}; known: {', '.join(words)}"

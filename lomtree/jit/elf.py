"""Object files linked by hand where that is easy: llvmlite always can, but its import takes time.

numba's code for x86-64 has nothing to relocate but whole addresses, of its own functions and
constants and of functions of the C library, and distances to its functions, in the table for
debuggers of kernels that call others. Anything else is left to llvmlite.
"""

import ctypes
import mmap
import os
import struct
import sys
from functools import cache
from typing import Any, NamedTuple

from lomtree.core.errors import LomtreeError

_HEADER = struct.Struct("<4s12xHHIQQQIHHHHHH")  # of an ELF file
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")
_MAGIC, _RELOCATABLE, _X86_64 = b"\x7fELF", 1, 62
_SYMBOLS, _RELOCATIONS, _EMPTY = 2, 4, 8  # kinds of sections
_IN_MEMORY = 2  # a flag of sections
_WHOLE_ADDRESS, _DISTANCE = 1, 24  # kinds of relocations
_UNDEFINED, _RESERVED = 0, 0xFF00  # numbers of no section
_READ_AND_EXECUTE = 5


class Linked(NamedTuple):
    address: int  # of the function
    memory: Any  # in which it is; has to be kept


class _Section(NamedTuple):
    name: int
    kind: int
    flags: int
    address: int
    begin: int
    size: int
    link: int
    info: int
    alignment: int
    entry: int


class _Unusual(Exception):
    """Something that is not done here."""


def is_known_machine() -> bool:
    """Whether it is the kind of machine for which this is made."""
    return sys.platform == "linux" and os.uname().machine == "x86_64"


def is_whole(data: bytes, symbol: str) -> bool:
    """Whether an object file has all that it says; one that was cut would crash whoever links it.
    What is not of a known kind cannot be told."""
    if not is_known_machine():
        return True
    try:
        sections = _sections_of(data)
        filled = [section for section in sections if section.kind != _EMPTY]
        if any(section.begin + section.size > len(data) for section in filled):
            return False
        [table] = [section for section in sections if section.kind == _SYMBOLS]
        names = _bytes_of(data, sections[table.link])
        return symbol.encode() in names.split(b"\0")
    except (_Unusual, LookupError, ValueError, AttributeError, struct.error):
        return False


@cache
def check_executable_memory() -> None:
    """LomtreeError where the system gives out no memory that can be executed: nothing that was
    compiled could run, and llvmlite would end the process."""
    if not is_known_machine():
        return
    memory = mmap.mmap(-1, mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    if _protect(base, mmap.PAGESIZE):
        raise LomtreeError(
            "the system refuses memory for compiled code (NUMBA_DISABLE_JIT=1 does without, slowly)"
        )


def _protect(base: int, size: int) -> int:
    """Let memory be executed and no longer written; 0 if that went well."""
    function = ctypes.CDLL(None).mprotect
    return function(ctypes.c_void_p(base), ctypes.c_size_t(size), _READ_AND_EXECUTE)


def link(data: bytes, symbol: str) -> Linked | None:
    """The function of this name in an object file, ready to be called; None if that is not easy."""
    try:
        if not is_known_machine():
            raise _Unusual
        return _link(data, symbol)
    except (_Unusual, OSError, AttributeError, LookupError, ValueError, struct.error):
        return None


def _link(data: bytes, symbol: str) -> Linked:
    sections = _sections_of(data)
    places, size = _lay_out(sections)
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for number, place in places.items():
        section = sections[number]
        if section.kind != _EMPTY:
            memory[place : place + section.size] = _bytes_of(data, section)
    addresses = _addresses(data, sections, {number: base + at for number, at in places.items()})
    for section in sections:
        if section.kind == _RELOCATIONS and section.info in places:
            for where, what, more in _RELOCATION.iter_unpack(_bytes_of(data, section)):
                _name, address = addresses[what >> 32]
                if not 0 <= where <= sections[section.info].size - 8:
                    raise _Unusual
                place, kind = places[section.info] + where, what & 0xFFFFFFFF
                if kind == _WHOLE_ADDRESS:
                    struct.pack_into("<Q", memory, place, address + more)
                elif kind == _DISTANCE:
                    struct.pack_into("<q", memory, place, address + more - (base + place))
                else:
                    raise _Unusual
    if _protect(base, size):
        raise _Unusual
    return Linked(dict(addresses)[symbol], memory)


def _sections_of(data: bytes) -> list[_Section]:
    magic, kind, machine, _, _, _, begin, _, _, _, _, size, count, _ = _HEADER.unpack_from(data)
    if (magic, kind, machine, size) != (_MAGIC, _RELOCATABLE, _X86_64, _SECTION.size):
        raise _Unusual
    table = data[begin : begin + count * size]
    return [_Section(*fields) for fields in _SECTION.iter_unpack(table)]


def _bytes_of(data: bytes, section: _Section) -> bytes:
    return data[section.begin : section.begin + section.size]


def _lay_out(sections: list[_Section]) -> tuple[dict[int, int], int]:
    """Where in memory each section that belongs there is put, and how much memory that takes."""
    places, end = {}, 0
    for number, section in enumerate(sections):
        if section.flags & _IN_MEMORY:
            places[number] = -(-end // max(section.alignment, 1)) * max(section.alignment, 1)
            end = places[number] + section.size
    return places, max(end, 1)


def _addresses(data: bytes, sections: list[_Section], at: dict[int, int]) -> list[tuple[str, int]]:
    """Name and address of each symbol; those that are defined nowhere are the C library's."""
    [table] = [section for section in sections if section.kind == _SYMBOLS]
    names = _bytes_of(data, sections[table.link])
    found = []
    for number, fields in enumerate(_SYMBOL.iter_unpack(_bytes_of(data, table))):
        begin, _info, _other, section, value, _size = fields
        name = names[begin : names.index(b"\0", begin)].decode()
        if number == 0 or section >= _RESERVED or (section and section not in at):
            found.append((name, 0))
        elif section == _UNDEFINED:
            function = getattr(ctypes.CDLL(None), name)
            found.append((name, ctypes.cast(function, ctypes.c_void_p).value or 0))
        else:
            found.append((name, at[section] + value))
    return found

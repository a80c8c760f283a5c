"""Chunks become pieces of examples; what is wrong with a line is told as on one machine."""

from typing import NamedTuple

from lomtree.cluster.chunks import Chunk, ChunkReader, Manner, local_copy
from lomtree.cluster.pieces import Piece, joined, piece_of
from lomtree.core.errors import DataError


class Facts(NamedTuple):
    """What is known of a piece without looking at it."""

    examples: int
    features: int
    nbytes: int
    lines: int
    skipped: int
    has_features: bool  # more than the constant
    problem: str = ""  # what stopped the reading


class Parsed(NamedTuple):
    piece: Piece
    facts: Facts


def parse(chunk: Chunk, manner: Manner, first_line: int = 1) -> Parsed:
    """Never raises a DataError: which one comes first in the stream, others know."""
    problem, piece, lines, skipped, has_features = "", _nothing(), 0, 0, False
    try:
        with local_copy(chunk) as local:
            reader = ChunkReader(chunk, local, first_line, **manner._asdict())
            piece = piece_of(reader)
            lines, skipped, has_features = reader.lines, reader.skipped, reader.has_features
    except DataError as error:
        problem = str(error)
    features = len(piece.batch.features)
    facts = Facts(piece.examples, features, piece.nbytes, lines, skipped, has_features, problem)
    return Parsed(piece, facts)


def _nothing() -> Piece:
    batch = joined([])
    return Piece(batch, batch.features.view("u1"), batch.starts)


def facts_of(parsed: Parsed) -> Facts:
    return parsed.facts

"""What a few lines of a chunk are called: a chunk bears the name of its first or outermost definition, and the lines
that are shown of it may be those of another. Of several that are shown the one with the most lines is it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from everdex.segment.model import ChunkRow, SymbolRow


class Title(msgspec.Struct, frozen=True):
    symbol: str
    breadcrumb: tuple[str, ...]


def title_of(row: ChunkRow, symbols: Sequence[SymbolRow], first: int, last: int) -> Title | None:
    """The name of these lines where it is not the chunk's; `symbols` are those that begin in the chunk, in order."""
    own = next((each for each in symbols if each.qualified_name == row.symbol), None)
    shown = [each for each in symbols if each.start_line <= last and first <= each.end_line]
    if shown:  # of definitions inside each other the outermost is shown the most, and stands first
        found = max(shown, key=lambda each: min(last, each.end_line) - max(first, each.start_line))
    elif own is not None:  # what stands above a definition is said of it
        found = next((each for each in symbols if each.start_line > last), own)
    else:
        return None
    if f"{found.qualified_name}.".startswith(f"{row.symbol}."):
        return None
    container = found.qualified_name[: -len(found.name) - 1]
    if own is not None and container == own.qualified_name[: -len(own.name) - 1]:
        return Title(found.qualified_name, (*row.breadcrumb[:-1], found.name))
    return Title(found.qualified_name, (*(container.split(".") if container else ()), found.name))

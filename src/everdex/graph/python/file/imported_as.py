"""What the names in a statement were imported as, where that is another name: `from typing import Iterable as Many`.

What a type, decorator or base is called is asked without asking what it is. Who looks at the statement that writes the
name has then to hear of the import, which is another one; so what is imported counts as text of that statement.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping

from everdex.facts.python import model as m
from everdex.graph.python.file.files import File


def renamed_in(file: File) -> dict[int, str]:
    """The expressions that name what was imported under another name, each with its own."""
    entries = file.complete()
    imported = {
        number: entries[value][3] for number, (_, name, value, _) in enumerate(file.bindings)
        if entries[value][0] == m.FROM and entries[value][3] != name
    }  # fmt: skip
    if not imported:
        return {}
    return {
        number: imported[entry[2][-1]] for number, entry in enumerate(entries)
        if entry[0] == m.NAME and entry[2] and entry[2][-1] in imported
    }  # fmt: skip


def in_heads(file: File, renamed: Mapping[int, str]) -> dict[int, bytes]:
    """By definition: those in the statement in which its head stands."""
    statements = [each[0] for each in file.facts.statements]
    found: dict[int, bytes] = {}
    for number, entry in enumerate(file.complete()) if renamed else ():
        if entry[0] == m.DEFINITION:
            last = bisect_right(statements, number)
            within = range(statements[last - 1], statements[last] if last < len(statements) else number)
            found[entry[1]] = as_imported(renamed, within)
    return found


def as_imported(renamed: Mapping[int, str], within: range) -> bytes:
    """The own names of those in a stretch of expressions."""
    names = [renamed[number] for number in within if number in renamed] if renamed else []
    return "\n".join(names).encode("utf-8", "surrogatepass")

"""What there is to walk in a repository: its definitions, which of them uses which, and where files use each other.

Every file of a survey is read, and all of it is told; what a page has room for is not known here. A use with several
candidates is told of each of them and is not certain.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import msgspec

from everdex.canvas.survey import File, Survey
from everdex.graph.definitions.atlas import CONTAINERS, VARIABLES, Atlas
from everdex.graph.model import Node, Role, Status, Target
from everdex.graph.stored.columns import Columns
from everdex.graph.stored.record import asked_key
from everdex.parse.headers import shortened

WITNESSES: Final = 4  # places a page names for each two files
CERTAIN: Final = 1
SEMANTIC: Final = 128  # an indexer says so, of one place at least
BITS: Final = {
    Role.CALL: 2, Role.REFERENCE: 4, Role.WRITE: 8, Role.INHERIT: 16, Role.DECORATE: 32, Role.OVERRIDE: 64,
}  # fmt: skip
_UNNAMED: Final = "lambda"  # belongs to what is around it


class Symbol(msgspec.Struct, frozen=True, gc=False):
    """A definition. `file` is its place in the survey."""

    file: int
    key: str
    name: str
    kind: str
    line: int
    end_line: int
    text: str  # as people write it
    doc: str
    tier: int  # the lower, the sooner it is wanted


class Use(msgspec.Struct, gc=False):
    """How often one definition uses another, in which ways, and where first."""

    bits: int
    sites: int
    line: int


class Walk(msgspec.Struct, frozen=True):
    """Definitions and who uses them. A user or a target is a number: a definition's index in `symbols`, or `~file` for
    code outside of definitions and for all code of a test file."""

    symbols: tuple[Symbol, ...]  # by file, then place
    uses: dict[tuple[int, int], Use]  # who, whom
    external: Counter[int]  # calls in a definition that leave the root
    unresolved: Counter[int]  # calls in it that lead nowhere known
    asked: tuple[int, ...]  # of each definition: unresolved calls anywhere that ask for its name
    places: dict[tuple[int, int], list[int]]  # two files -> lines of the first that use the second
    doubts: dict[tuple[int, int], list[int]]  # the same of uses with several candidates


def walk(atlas: Atlas, found: Survey) -> Walk:
    number = {file.path: place for place, file in enumerate(found.files)}
    symbols: list[Symbol] = []
    known: dict[Target, int] = {}
    around: list[list[int]] = []  # of each file and node of it: the definition it is told with
    for place, file in enumerate(found.files):
        around.append(_listed(atlas, place, file, symbols, known))
    told = Walk(tuple(symbols), {}, Counter(), Counter(), _asked(atlas, symbols), {}, {})
    for place, file in enumerate(found.files):
        columns = _columns(atlas, file.path)
        for item in columns.dependencies():
            _add(told.places, (place, number.get(item.target.path, place)), item.line)
        for role, status, semantic, node, targets, count, line in columns.flows():
            user = around[place][node]
            if role is Role.CALL and status is Status.EXTERNAL:
                told.external[user] += count
            elif role is Role.CALL and status is Status.UNRESOLVED:
                told.unresolved[user] += count
            elif role is not Role.IMPORT and status in (Status.RESOLVED, Status.AMBIGUOUS):
                certain = status is Status.RESOLVED
                _use(told, user, [known[target] for target in targets if target in known],
                     BITS[role] | certain * CERTAIN | semantic * SEMANTIC, count, line)  # fmt: skip
                for target in targets:
                    pair = place, number.get(target.path, place)
                    _add(told.places if certain else told.doubts, pair, line)
    return told


def _columns(atlas: Atlas, path: str) -> Columns:
    number = atlas.graph.number(path)
    assert number is not None  # a survey's files are the graph's
    return Columns(atlas.graph.blob(number))


def _use(told: Walk, user: int, used: Sequence[int], bits: int, count: int, line: int) -> None:
    for each in used:
        if each == user:
            continue
        use = told.uses.get((user, each))
        if use is None:
            told.uses[user, each] = Use(bits, count, line)
        else:
            use.bits |= bits
            use.sites += count
            use.line = min(use.line, line)


def _add(lines: dict[tuple[int, int], list[int]], pair: tuple[int, int], line: int) -> None:
    here = lines.setdefault(pair, [])
    if pair[0] != pair[1] and len(here) < WITNESSES and line not in here:
        here.append(line)


# -- definitions -------------------------------------------------------------------------------


def _listed(
    atlas: Atlas, place: int, file: File, symbols: list[Symbol], known: dict[Target, int]
) -> list[int]:
    nodes = _columns(atlas, file.path).nodes
    if file.role == "test":
        return [~place] * len(nodes)
    docs = _docs(atlas, file.path)
    owners: list[int] = []
    for node in nodes:
        if node.parent < 0 or node.kind == _UNNAMED:
            owners.append(owners[node.parent] if node.parent >= 0 else ~place)
            continue
        owners.append(len(symbols))
        known[Target(file.path, node.key)] = len(symbols)
        doc = docs.get((node.name_line, node.name), "")
        symbols.append(
            Symbol(place, node.key, node.name, node.kind, node.name_line, node.end_line, _text(node), doc,
                   _tier(file, nodes, node))
        )  # fmt: skip
    return owners


def _tier(file: File, nodes: Sequence[Node], node: Node) -> int:
    """What a reader looks for first: what source files offer, then what belongs to that, then the rest of them."""
    if file.role != "source":
        return 3
    parent = nodes[node.parent]
    if not node.public or (node.parent and not parent.public):
        return 2
    if not node.parent:
        return 1 if node.kind in VARIABLES else 0
    return 1 if parent.kind in CONTAINERS and node.kind not in VARIABLES else 2


def _text(node: Node) -> str:
    bare = node.signature.startswith(("(", "[", "<")) or node.name not in node.signature
    return shortened(f"{node.name}{node.signature}" if bare else node.signature)


def _docs(atlas: Atlas, path: str) -> dict[tuple[int, str], str]:
    view = atlas.view
    return {(row.name_line, row.name): view.description(row)[1] for row in view.symbols_of(path)}


def _asked(atlas: Atlas, symbols: Sequence[Symbol]) -> tuple[int, ...]:
    """How many calls by a name lead nowhere known: they may mean what is called so."""
    asked = atlas.graph.asked
    totals = {
        name: asked.total([asked_key(Status.UNRESOLVED, Role.CALL, name)]) for name in {item.name for item in symbols}
    }
    return tuple(totals[item.name] for item in symbols)


def users(told: Walk, roles: Sequence[str]) -> tuple[Counter[int], Counter[int]]:
    """Of each definition: how many other files use it, and how many of them are tests."""
    seen = {(used, _file_of(told, user)) for user, used in told.uses}
    others = [(used, file) for used, file in seen if told.symbols[used].file != file]
    return Counter(used for used, _ in others), Counter(used for used, file in others if roles[file] == "test")


def _file_of(told: Walk, user: int) -> int:
    return told.symbols[user].file if user >= 0 else ~user


def ranked(told: Walk, used_by: Counter[int]) -> list[int]:
    """The definitions, the one that is wanted most first."""
    return sorted(range(len(told.symbols)), key=lambda place: (told.symbols[place].tier, -used_by[place], place))

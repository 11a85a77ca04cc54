"""What `zip` gives: a tuple of what stands in one place of each; `zip(*table)` takes the rows of a table apart.

Where rows are written out it is known what stands where; else a column holds what any row may have there.
"""

from __future__ import annotations

from itertools import zip_longest

from everdex.graph.python.calls import parameters, rounds
from everdex.graph.python.containers import containers
from everdex.graph.python.engine.contexts import Positional
from everdex.graph.python.engine.engine import Engine
from everdex.graph.python.engine.values import LIST, NOTHING, TUPLE, Values, ordered, union


def zipped(engine: Engine, positional: Positional, fuel: int) -> Values:
    """The tuples, one after the other."""
    given = [parameters.argument(engine, each, fuel) for each in positional]
    if not any(each.starred for each in positional):
        return _list_of(frozenset(((TUPLE, tuple(_elements(engine, each, fuel) for each in given)),)))
    if len(given) == 1:
        return _transposed(engine, given[0], fuel)
    rows = [_elements(engine, each, fuel) if by.starred else each for by, each in zip(positional, given, strict=True)]
    return _list_of(_list_of(union(_elements(engine, each, fuel) for each in rows)))


def _transposed(engine: Engine, table: Values, fuel: int) -> Values:
    """What stood in one place of each row comes together."""
    rows = _places(engine, table, fuel)
    if rows:
        cells = [_places(engine, row, fuel) for row in rows]
        if all(cells):
            return frozenset(((TUPLE, tuple([frozenset(((TUPLE, each),)) for each in zip(*cells, strict=False)])),))
        return _list_of(frozenset(((TUPLE, tuple(_elements(engine, row, fuel) for row in rows)),)))
    told = [(row, _places(engine, frozenset((row,)), fuel)) for row in ordered(_elements(engine, table, fuel))]
    rest = _elements(engine, frozenset(row for row, places in told if not places), fuel)
    known = [places for _, places in told if places]
    if known:
        columns = [union((*column, rest)) for column in zip_longest(*known, fillvalue=NOTHING)]
        return frozenset(((TUPLE, tuple(_list_of(column) for column in columns)),))
    return _list_of(_list_of(rest))


def _places(engine: Engine, values: Values, fuel: int) -> list[Values]:
    """What stands where in a sequence that is written out; nothing where it may be another."""
    if len(values) != 1:
        return []
    (alone,) = values
    return rounds.places(engine, alone, fuel)


def _elements(engine: Engine, values: Values, fuel: int) -> Values:
    return union(containers.elements(engine, each, fuel) for each in values)


def _list_of(held: Values) -> Values:
    return frozenset(((LIST, held),))

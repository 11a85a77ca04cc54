"""Functions that a variable holds wrapped by something else: components, cached and debounced functions."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.graphs import asker
from support.stores import synced

_ROW = "import { memo } from 'react'\nimport { observer } from 'watching'\nimport { help } from './help'\n"
_FILES = {
    "help.ts": "export function help() { return null }\n",
    "page.tsx": (
        "import { Row } from './row'\nimport { deck } from './deck'\n"
        "export function Page() {\n  return <Row></Row>\n}\n"
        "export function Deck() {\n  return <deck.Line />\n}\n"
    ),
    "deck.ts": "import { Row } from './row'\nexport const deck = { Line: Row }\n",
}
_WRAPPED = {
    "by what hands it back": "export const Row = memo(function Row() { return help() })\n",
    "by a library": "export const Row = observer(function Row() { return help() })\n",
    "twice": "export const Row = memo(observer(function Row() { return help() }))\n",
    "a class": "export const Row = observer(class Row {\n  render() { return help() }\n})\n",
}


@pytest.mark.parametrize("wrapped", _WRAPPED.values(), ids=_WRAPPED)
@pytest.mark.parametrize("asked", ["Row", "row.tsx::Row", "row.tsx:4"])
def test_a_function_inside_a_variable_of_its_name_is_that_variable(tmp_path: Path, wrapped: str, asked: str) -> None:
    """One symbol, however it is asked for: who renders it calls it, and what the function calls is what it calls."""
    ask = asker(synced(tmp_path / "tree", {**_FILES, "row.tsx": _ROW + wrapped}))
    answer = ask("callers", asked)
    assert answer["symbol"]["kind"] == "variable"
    assert "Page" in [item["name"] for item in answer["callers"]]
    assert [item["name"] for item in ask("callees", asked)["callees"]][-1] == "help"


def test_who_is_handed_the_function_calls_the_variable(tmp_path: Path) -> None:
    """A call that names something else and runs the function is a call of both."""
    ask = asker(synced(tmp_path / "tree", {**_FILES, "row.tsx": _ROW + _WRAPPED["by what hands it back"]}))
    assert {item["name"] for item in ask("callers", "Row")["callers"]} == {"Page", "Deck"}


_HOLDING = {
    "by its own name": "export const Row = observer(function Row() { return help() })\n",
    "by another name": "export const Row = observer(function Line() { return help() })\n",
    "by none": "export const Row = observer(() => help())\n",
}


@pytest.mark.parametrize("holding", _HOLDING.values(), ids=_HOLDING)
def test_a_change_goes_on_through_the_variable(tmp_path: Path, holding: str) -> None:
    """What is called in a function that a variable holds wrapped affects those who use the variable."""
    ask = asker(synced(tmp_path / "tree", {**_FILES, "row.tsx": _ROW + holding}))
    affected = {item["name"]: item["certainty"] for item in ask("impact", "help")["affected"]}
    assert affected["Page"] == "ambiguous"

"""What belongs together in TypeScript although it is written apart: tags, members and those who implement them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.graphs import asker
from support.stores import synced


def _places(items: list[dict[str, Any]]) -> set[tuple[str, int]]:
    return {(item["path"], item["line"]) for item in items}


def test_a_closing_tag_names_its_component(tmp_path: Path) -> None:
    """References and a rename have both tags, also those of a member; tags of HTML are nobody's."""
    files = {
        "card.tsx": "export function Card(props: any) { return null }\nexport const ui = { Row: Card }\n",
        "page.tsx": (
            "import { Card } from './card'\nimport * as cards from './card'\nexport const page = () => (\n"
            "  <Card>\n    <div>\n      <cards.Card>\n      </cards.Card>\n    </div>\n  </Card>\n)\n"
        ),
    }
    ask = asker(synced(tmp_path / "tree", files))
    roles = {(item["line"], item["role"]) for item in ask("refs", "Card")["references"] if item["path"] == "page.tsx"}
    assert roles == {(1, "import"), (4, "call"), (6, "call"), (7, "reference"), (9, "reference")}
    plan = ask("rename", "Card", new="Panel")
    assert [edit["line"] for edit in plan["edits"] if edit["path"] == "page.tsx"] == [1, 4, 6, 7, 9]
    assert plan["doubts"] == []


_PLUGIN = "export interface Plugin { install(app: string): void }\n"
_LITERALS = {
    "a variable": "export const one: Plugin = { install(app) {} }\n",
    "a result": "export function make(): Plugin { return { install(app) {} } }\n",
    "an arrow's result": "export const make = (): Plugin => ({ install: app => {} })\n",
    "a promised result": "export async function make(): Promise<Plugin> { return { install(app) {} } }\n",
    "an element": "export const all: Plugin[] = [{ install(app) {} }]\n",
    "one of two": "export const one: Plugin | null = Math.random() ? { install(app) {} } : null\n",
    "an argument": "run({ install(app) {} })\n",
    "satisfies": "export const one = { install(app) {} } satisfies Plugin\n",
    "a cast": "export const one = { install(app) {} } as Plugin\n",
    "a field": "export class Holder { plugin: Plugin = { install(app) {} } }\n",
}


@pytest.mark.parametrize("literal", _LITERALS.values(), ids=_LITERALS)
def test_a_literal_implements_the_type_it_has_to_have(tmp_path: Path, literal: str) -> None:
    """Who calls the type's method calls the literal's, a change of either reaches the caller, and both are renamed."""
    files = {
        "plugin.ts": _PLUGIN + "export function run(plugin: Plugin) {\n  plugin.install('x')\n}\n",
        "use.ts": "import { Plugin, run } from './plugin'\n" + literal,
    }
    ask = asker(synced(tmp_path / "tree", files))
    for symbol in ("Plugin.install", "use.ts::install"):
        callers = ask("callers", symbol)["callers"]
        assert [(item["name"], _places(item["sites"])) for item in callers] == [("run", {("plugin.ts", 3)})], symbol
    assert "run" in [item["name"] for item in ask("impact", "Plugin.install")["affected"]]
    plan = ask("rename", "Plugin.install", new="setup")
    assert _places(plan["edits"]) == {("plugin.ts", 1), ("plugin.ts", 3), ("use.ts", 2)}
    assert plan["doubts"] == []


def test_all_signatures_of_a_member_are_renamed(tmp_path: Path) -> None:
    """Those of an interface, what implements it, and calls of which nobody can tell which one they mean."""
    files = {
        "reader.ts": (
            "export interface Reader {\n  read(path: string): string\n  read(path: number): string\n}\n"
            "export function use(reader: Reader, path: any) {\n  reader.read(path)\n  return reader.read\n}\n"
        ),
        "text.ts": (
            "import { Reader } from './reader'\nexport class Text implements Reader {\n  read(path: string): string\n"
            "  read(path: number): string\n  read(path: any) { return '' }\n}\nnew Text().read('x')\n"
        ),
    }  # fmt: skip
    every = {("reader.ts", line) for line in (2, 3, 6, 7)} | {("text.ts", line) for line in (3, 4, 5, 7)}
    with_class = asker(synced(tmp_path / "tree", files))
    for symbol in ("reader.ts:2", "reader.ts:3", "text.ts:3", "Text.read"):
        plan = with_class("rename", symbol, new="load")
        assert (_places(plan["edits"]), plan["doubts"]) == (every, [])
    alone = asker(synced(tmp_path / "alone", {"reader.ts": files["reader.ts"]}))
    assert alone("callers", "reader.ts:3")["callers"][0]["certainty"] == "ambiguous"
    plan = alone("rename", "reader.ts:3", new="load")
    assert (_places(plan["edits"]), plan["doubts"]) == ({("reader.ts", line) for line in (2, 3, 6, 7)}, [])

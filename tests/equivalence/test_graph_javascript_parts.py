"""JavaScript edited, moved, wrapped and broken at random: parts that are kept are what would be found.

Every step resolves each file in parts from what the step before kept, and from nothing.
"""

from __future__ import annotations

import random

import pytest

from equivalence.parts import KeptTree, differ, step, text_of
from everdex.graph.javascript.resolver import RESOLVER

_PATHS = ("base.ts", "tools.js", "tools.d.ts", "pkg/index.ts", "pkg/inner.ts", "all.test.ts")
_MODULES = ("./base", "./tools", "./pkg", "../base", "./inner", "./all.test")
_NAMES = ("open", "read", "close", "make", "each", "Reader", "Writer")
_CLASSES = ("Reader", "Writer", "Store")
_KEPT = ("kept", "other", "open")
_EDITS = (
    "add", "drop", "move", "line", "line", "line", "line", "grow", "rename", "wrap", "break", "head", "shift", "swap",
)  # fmt: skip


class _Author:
    """Writes files of functions, classes and tests that call, store, return and hand on each other by few names."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.pick = self.chance.choice

    def _expression(self, depth: int = 2) -> str:
        pick = self.pick
        name, other, kind, kept = pick(_NAMES), pick(_NAMES), pick(_CLASSES), pick(_KEPT)
        if not depth:
            return pick((name, f"new {kind}()", "x", "this", f"{name}.{kept}"))
        one, two = self._expression(depth - 1), self._expression(depth - 1)
        return pick(
            (
                f"{name}({one})", f"{one}.{kept}", f"x.{name}({one})", f"{{ {kept}: {one} }}", f"[{one}]",
                f"({one} || {two})", f"(x) => {one}", f"function (y) {{ return {one} }}", f"new {kind}({one})",
                f"await {name}()", f"{name}((x) => x.{other}({one}), {two})", f"({one} as {kind})",
                f"x.map((x) => {one})", f"table[{name}]", f"Object.assign({name}, {one})",
                f"{{ {name}() {{ return this.{kept} }}, ...{other} }}", name, "x", f"this.{kept}", f"new {kind}()",
                f"x['{kept[:2]}' + {name}]({one})", f"this[`${{{name}}}{kept[-2:]}`]()",
                f"function () {{ return this.{kept} }}.bind(this)", f"{one}[1]",
            )
        )  # fmt: skip

    def _line(self) -> list[str]:
        pick, made = self.pick, self._expression()
        name, other, kind, kept = pick(_NAMES), pick(_NAMES), pick(_CLASSES), pick(_KEPT)
        return pick(
            (
                [f"{name}({made});"], [f"let x = {made};"], [f"const y = {made};"], [f"return {made};"],
                [f"this.{kept} = {made};"], [f"x.{kept} = {made};"], [f"{name}.{kept} = {made};"], ["// nothing"],
                [f"x.{name}({made});"], [f"this.{name}({made});"], [f"super.{name}({made});"], [f"{name} = {made};"],
                [f"for (const x of {made}) {{", f"  x.{other}();", "}"],
                [f"const {{ {kept} }} = {made};", f"{kept}();"],
                [f"function {name}(x{pick(('', f': {kind}'))}) {{ return {made}; }}"], [f"table['a'] = {made};"],
                [f"class {kind} extends {pick(_CLASSES)} {{ {name}() {{ {other}(); }} }}"], [f"var {name} = {made};"],
                [f"{name}((x, y) => {{", f"  x.{other}({made});", f"  return {self._expression()};", "}, each);"],
                [f"const z: {kind} = {made};", f"z.{name}();"], [f"exports.{name} = {made};"],
                [f"{kind}.prototype.{name} = {made};"], [f"const w: Shape = {{ {kept}: {made}, {name}() {{ x() }} }};"],
                ["it('x', () => {", f"  const app = {made};", f"  app.{other}();", "});"],
                [f"const way = '{kept[:2]}' + x;", f"this[way]({made});"], [f"{name}.call(this, {made});"],
                [f"const f: Way = (x) => {made};"], ["function run(go: Way) {", "  go(x);", "}"],
                [f"x.forEach(function () {{ this.{other}(); }}, this);"],
            )
        )  # fmt: skip

    def _body(self, indent: str, most: int = 4) -> list[str]:
        return [indent + line for _ in range(self.chance.randint(1, most)) for line in self._line()]

    def _parameters(self) -> str:
        given = f"x: {self.pick(_CLASSES)}", f"x = {self.pick(_NAMES)}, open"
        return self.pick(("x", "x, y", *given, "x?: Shape, ...rest", "{ kept }: Shape, y"))

    def _class(self) -> list[str]:
        pick = self.pick
        base = pick(("", f" extends {pick(_CLASSES)}", " implements Shape"))
        lines = [f"{pick(('', 'export '))}class {pick(_CLASSES)}{base} {{", f"  {pick(_KEPT)} = {self._expression()};"]
        for _ in range(self.chance.randint(1, 4)):
            mark, name = pick(("", "", "static ", "async ", "get ")), pick((*_NAMES[:5], "constructor"))
            lines += [f"  {mark}{name}({self._parameters()}) {{", *self._body("    ", 3), "  }"]
        return [*lines, "}"]

    def _tests(self) -> list[str]:
        lines = ["describe('a', () => {", f"  let x = {self._expression()};"]
        if self.chance.random() < 0.5:
            lines += ["  beforeEach(() => {", f"    x = {self._expression()};", "  });"]
        for _ in range(self.chance.randint(1, 4)):
            lines += [f"  it('{self.pick('ab')}', async () => {{", *self._body("    ", 3), "  });"]
        if self.chance.random() < 0.4:
            lines += ["  describe('in', () => {", "    it('c', () => {", *self._body("      ", 2), "    });", "  });"]
        return [*lines, "});"]

    def block(self) -> list[str]:
        pick, chance = self.pick, self.chance.random()
        name, other, kind, module = pick(_NAMES), pick(_NAMES), pick(_CLASSES), pick(_MODULES)
        if chance < 0.35:
            head = f"{pick(('', 'export ', 'async ', 'export default '))}function {pick(_NAMES[:5])}"
            return [f"{head}({self._parameters()}){pick(('', f': {kind}'))} {{", *self._body("  "), "}"]
        if chance < 0.7:
            return self._class() if chance < 0.55 else self._tests()
        return pick(
            (
                [f"import {{ {name} as {other} }} from '{module}';"], [f"import {{ {name} }} from '{module}';"],
                [f"import * as {name} from '{module}';"], [f"import {name} from '{module}';"],
                [f"export * from '{module}';"], [f"export {{ {name} }} from '{module}';"], [f"export {{ {name} }};"],
                ["const table = {};"], [f"export const {name} = {self._expression()};"],
                [f"let {name} = {self._expression()};"], [f"const {name} = require('{module}');"],
                [f"module.exports = {self._expression()};"], [f"exports.{name} = {self._expression()};"],
                ["interface Shape {", f"  kept: {kind};", f"  {name}(x: {kind}): {pick(_CLASSES)}", "}"],
                [f"export interface Shape extends {kind} {{ other: {kind} }}"], [f"type Reader = {kind} | Shape;"],
                [f"{name}({self._expression()});"], [f"{name}.{pick(_KEPT)} = {self._expression()};"],
                [f"{kind}.prototype.{name} = function (x) {{", *self._body("  ", 2), "};"],
                [f"export const {name} = (x) => {{", *self._body("  "), "};"], ["enum Store { kept, open }"],
                [f"const {name} = {{ {other}(x) {{ return {self._expression()}; }}, kept: {self._expression()} }};"],
                [f"declare global {{ interface Shape {{ {name}: {kind} }} }}"],
                [f"export type Way = (x: {kind}) => {pick(_CLASSES)};"], [f"import {{ type Way }} from '{module}';"],
                [f"type Pair = [first: {kind}, way: Way];", f"export function {name}(x: Pair) {{ x[1](x[0]); }}"],
                [f"Object.defineProperty({kind}.prototype, '{pick(_KEPT)}', {{",
                 f"  get() {{ return {self._expression()}; }},", "});"],
                [f"Object.defineProperty(exports, '{name}', {{ get: () => {self._expression()} }});"],
                [f"export declare class {kind} {{", f"  {pick(_KEPT)}: {pick(_CLASSES)};",
                 f"  {name}(x: {pick(_CLASSES)}): {pick(_CLASSES)};", "}"],
                [f"function {name}(x: string): Reader;", f"function {name}(x: number, y): Writer;"],
                [f"namespace {name} {{ export function {other}() {{ {self._expression()}; }} }}"],
            )
        )  # fmt: skip

    def edited(self, blocks: list[list[str]]) -> tuple[str, list[list[str]]]:
        """Another version of a file, and what was done."""
        blocks = [list(block) for block in blocks]
        what = self.pick(_EDITS)
        if what == "add" or not blocks:
            blocks.insert(self.chance.randint(0, len(blocks)), self.block())
            return "add", blocks
        block = self.pick(blocks)
        inside = [number for number, line in enumerate(block) if line.startswith("  ") and line.endswith(";")]
        number = self.pick(inside) if inside else 0
        indent = " " * (len(block[number]) - len(block[number].lstrip()))
        if what in ("drop", "move"):
            blocks.remove(block)
            if what == "move":
                blocks.insert(self.chance.randint(0, len(blocks)), block)
        elif what == "line" and inside:
            block[number : number + self.pick((0, 1))] = [indent + line for line in self._line()]
        elif what == "grow" and inside:
            added = "// said", "if (x) { x(); }", "", "x.open();", "const v = new Reader();", "var open = x;"
            block.insert(number, indent + self.pick(added))
        elif what == "swap" and inside:
            other = self.pick(inside)
            block[number], block[other] = block[other], block[number]
        elif what == "rename":
            place = self.chance.randrange(len(block))
            block[place] = block[place].replace(self.pick(_NAMES), self.pick(_NAMES))
        elif what == "wrap":
            head, end = self.pick((("describe('w', () => {", "});"), (f"function {self.pick(_NAMES)}() {{", "}")))
            block[:] = [head, *(f"  {line}" for line in block), end]
        elif what == "break":
            block.insert(self.chance.randint(0, len(block)), self.pick(("function broken(", "}", "x = (", "class {")))
        elif what == "head":
            block[0] = block[0].replace("export ", "") if "export " in block[0] else block[0].replace("(x", "(x, open")
        else:
            block.insert(0, "// moved")
        return what, blocks


@pytest.mark.parametrize("seed", range(8))
def test_parts_that_are_kept_are_what_a_rebuild_would_find(seed: int) -> None:
    """Sites, targets, places and what was looked at: byte for byte, while most parts are not resolved again."""
    author = _Author(seed)
    tree = {path: [author.block() for _ in range(4)] for path in _PATHS}
    kept, history, whole, again = KeptTree(), [], 0, 0
    for _ in range(25):
        path = author.pick(_PATHS)
        what, tree[path] = author.edited(tree[path])
        history.append(f"{what} {path}")
        files = {path: text_of(blocks) for path, blocks in tree.items()}
        kept, parts, resolved = step(kept, files, RESOLVER)
        whole, again = whole + parts, again + resolved
        clean, _, _ = step(KeptTree(), files, RESOLVER)
        assert differ(kept, clean) == [], history
    assert again < 0.4 * whole


_TESTS = """\
import {{ make }} from './other';
{0}
interface Shape {{
  kept: Item;
}}
class Item {{
  go() {{
    {1}
  }}
  stay() {{
    make(this);
  }}
}}
describe('all', () => {{
  const item = new Item();{2}
  it('one', () => {{
    item.go({3});
  }});
  it('two', () => {{
    make(item).go();
  }}, make);
}});
"""
_ONE, _TWO = "<lambda1>.<lambda1>", "<lambda1>.<lambda2>"


@pytest.mark.parametrize(
    ("edits", "asked"),
    [
        pytest.param(("", "", "", "1"), {_ONE}, id="a call in a test"),
        pytest.param(("", "", "", "\n1\n"), {_ONE}, id="lines in a test"),
        pytest.param(("// said", "", "", ""), {""}, id="a comment between definitions"),
        pytest.param(("", "console.log(1);", "", ""), {"Item.go"}, id="a call in a method"),
        pytest.param(("", "", "\n  console.log(item);", ""), {"<lambda1>"}, id="a statement around tests"),
        pytest.param(("const item = 1;", "", "", ""), {""}, id="a name that tests bind themselves"),
        pytest.param(("", "", "\n  const make = item;", ""), {"<lambda1>", _TWO}, id="a name that one test takes"),
    ],
)
def test_only_what_means_something_else_is_resolved(edits: tuple[str, ...], asked: set[str]) -> None:
    """Of a file with tests in a test, and of a class with methods; there and back."""
    other = {"other.ts": b"export function make(x) { return x; }\n"}
    trees = [{**other, "a.test.ts": _TESTS.format(*each).encode()} for each in (("", "", "", ""), edits)]
    for first, second in (trees, trees[::-1]):
        old, _, _ = step(KeptTree(), first, RESOLVER)
        new, _, _ = step(old, second, RESOLVER)
        clean, _, _ = step(KeptTree(), second, RESOLVER)
        assert differ(new, clean) == []
        assert new.asked["a.test.ts"] == asked


def test_what_follows_a_function_on_its_last_line_moves_with_it() -> None:
    """The place of what stands behind a body, and what is shown of the body there, are those of a rebuild."""
    text = (
        "function take(f, g) {{}}\nfunction stop() {{}}\nfunction all() {{\n  stop();\n}}\n"
        "take(() => {{\n{0}{1}}}, stop).then(all);\n"
    )
    for before, after in (("", "  all();\n"), ("  all();\n", "  stop();\n")):
        for indent in ("", "  "):
            old, _, _ = step(KeptTree(), {"a.ts": text.format(before, "").encode()}, RESOLVER)
            new, _, _ = step(old, {"a.ts": text.format(after, indent).encode()}, RESOLVER)
            clean, _, _ = step(KeptTree(), {"a.ts": text.format(after, indent).encode()}, RESOLVER)
            assert differ(new, clean) == []

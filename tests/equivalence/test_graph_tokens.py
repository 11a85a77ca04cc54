"""One word more, fewer or another: edits of a single token, each of which once left something stale."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from equivalence.memory import History

_WORKER = (
    "class Stats:\n    def bump(self): pass\n\nclass Worker:\n    def __init__(self, name, stats):\n"
    "        self.stats = stats\n    def run(self):\n        self.stats.bump()\n"
)
_POOL = (
    "class Pool:\n    def __init__(self, make=None):\n"
    "        self.workers = [make(str(each)) for each in range(3)]\n"
)
_PREPARED = (
    "from functools import partial\nfrom pool import Pool\nfrom worker import Stats, Worker\n\n"
    "make = partial(Worker, stats=Stats())\nPool(%s)\n"
)
_NODE = (
    "class Node {\n  copy() {\n    return 1\n  }\n  get held() {\n    return this.copy()\n  }\n}\n\n"
    "module.exports = Node\n"
)
_CONTAINER = "%s\n\nclass Container extends Node {\n  copy() {}\n}\n\nmodule.exports = Container\n"
_DOCUMENTED = (
    "import Item from './item.js';\n\n/**\n * @param {%s} either\n */\n"
    "function loose(either) {\n  either.touch();\n}\n"
)
_TELLS = (
    "export class Point {\n  move() {}\n}\n\n"
    "export function isPoint(%s): a is Point {\n  return a instanceof Point;\n}\n"
)
_ASKS = (
    "import { isPoint } from './point';\n\n"
    "export function go(x: unknown, y: unknown) {\n  if (isPoint(x, y)) {\n    x.move();\n    y.move();\n  }\n}\n"
)
_BASE = "export class Base {\n  run() {\n    this.step();\n  }\n  step() {}\n}\n%s\n"
_FAR = "import Anything from './base';\n\nexport class Far extends Anything {\n  step() {}\n}\n"
_INHERITS = (
    "let Node = require('./base');\n\nclass Low%s {\n  copy() {\n    super.copy();\n  }\n}\n\nmodule.exports = Low\n"
)
_TWO = {
    "a.ts": "export interface T {\n  go(): void;\n}\n", "b.ts": "export interface T {\n  go(): void;\n}\n",
    "use.ts": "import { make } from './make';\n\nexport function use() {\n  make(1).go();\n}\n",
}
_QUALIFIED = (
    "import * as a from './a';\nimport * as b from './b';\n\n"
    "export function make(x: unknown) {\n  return x as %s.T;\n}\n"
)
_IMPORTED = "export function make(x: unknown) {\n  return x as import('./%s').T;\n}\n"
_BY_CONDITION = {
    "a.ts": "export function go() {}\n", "b.ts": "export function go() {}\n",
    "use.ts": "import { go } from 'both';\n\nexport function use() {\n  go();\n}\n",
}
_VISITED = "export class Base {\n  %svisitName() {}\n}\n"
_VISITS = {
    "low.ts": "import { Base } from './base';\n\n"
    "export class Low extends Base {\n  visitCall() {}\n  go(x: any) {\n    this['visit' + x]();\n  }\n}\n",
}
_SCRIPT = {
    "node.js": "class Node {\n  mark() {}\n}\nmodule.exports = Node\n",
    "main.ts": "import Node from './node';\n\nexport function use(n: Node) {\n  n.first.mark();\n}\n",
}
_BESIDE = (
    "declare class Node {\n  get first(): %s;\n  mark(): void;\n}\n"
    "declare class Other {\n  mark(): void;\n}\nexport = Node;\n"
)
_CONDITIONS = '{"name": "both", "exports": {".": {%s}}}'


@pytest.mark.parametrize(
    ("files", "path", "text", "words"),
    [
        ({"main.ts": _ASKS}, "point.ts", _TELLS, ("a: unknown, b: unknown", "b: unknown, a: unknown")),
        ({"worker.py": _WORKER, "pool.py": _POOL}, "main.py", _PREPARED, ("", "make")),
        (
            {"node.js": _NODE}, "container.js", _CONTAINER,
            ("let Node = require('./node", "let Node = require('./node')"),
        ),
        (
            {"item.js": "export default class Item {\n  touch() {}\n}\n"}, "main.js", _DOCUMENTED,
            ("Item(); |Item", "Item|Outside"),
        ),
        ({"far.ts": _FAR}, "base.ts", _BASE, ("", "export default Base;")),
        ({"base.js": _NODE}, "low.js", _INHERITS, ("", " extends Node")),
        (_TWO, "make.ts", _QUALIFIED, ("a", "b")),
        (_TWO, "make.ts", _IMPORTED, ("a", "b")),
        (_BY_CONDITION, "package.json", _CONDITIONS, ('"x": "./a.ts", "y": "./b.ts"', '"y": "./b.ts", "x": "./a.ts"')),
        (_VISITS, "base.ts", _VISITED, ("", "static ")),
        (_SCRIPT, "node.d.ts", _BESIDE, ("Node", "Other")),
    ],
    ids=[
        "of which parameter the type is told", "what is prepared is passed on", "a base is another thing of its name",
        "an unknown type is no type", "a class is the default by now", "a class has a base", "a type of another module",
        "a type that is imported where it is written",
        "which condition comes first", "a method is static", "the type of an accessor that is declared beside a script",
    ],
)  # fmt: skip
def test_who_looked_there_is_asked_again(
    tmp_path: Path, files: dict[str, str], path: str, text: str, words: tuple[str, str]
) -> None:
    """Both ways, what a clean build would make."""
    history = History(tmp_path, random.Random(1))
    for word in (*words, *words):
        tree = {**files, path: text % word}
        assert history.step({each: content.encode() for each, content in tree.items()}) == []

"""With an indexer's facts, too, a graph made after an edit has the bytes of one made from nothing."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from everdex.graph.making import keep
from everdex.graph.making.overlay import overlay
from everdex.graph.resolvers import Resolvers
from everdex.graph.stored.artifact import Graph
from everdex.semantic.kept import facts_of
from everdex.view import open_view
from support.graphs import rebuilt, same_bytes, silent
from support.scips import Said, definition, document, import_into, index, reference, symbol
from support.stores import Workspace, synced

_RESOLVERS = Resolvers()
_NAMES = ("go", "stop", "turn", "load")
_CLASSES = 3
_PLACES = re.compile(rf"class (?P<class>\w+)|(?:(?P<def>def )|x\.)(?P<name>{'|'.join(_NAMES)})\(")


def _source(chosen: random.Random) -> str:
    """A module of classes whose methods call methods of things that nobody knows, by names that many have."""
    lines: list[str] = []
    for number in range(chosen.randint(1, _CLASSES)):
        lines.append(f"class C{number}{'(C0)' if number else ''}:")
        for name in chosen.sample(_NAMES, chosen.randint(1, 3)):
            lines.append(f"    def {name}(self, x):")
            lines += [f"        x.{chosen.choice(_NAMES)}()" for _ in range(chosen.randint(1, 3))]
    return "\n".join([*lines, f"# {chosen.random()}" if chosen.random() < 0.3 else "", ""])


def _said(path: str, source: str) -> list[Said]:
    """Every method as a definition; every call as one of a method somewhere, not always of that name."""
    found: list[Said] = []
    chosen = random.Random(source)
    owner = ""
    for place in _PLACES.finditer(source):
        opened, name = place["class"], place["name"]
        owner = opened or owner
        nth = len(re.findall(name, source[: place.start("name")])) if name else 0
        if name and place["def"]:
            found.append(definition(name, symbol(f"{path}/", f"{owner}#", f"{name}()."), nth))
        elif name:
            other = symbol(f"{chosen.choice('abcd')}.py/", f"C{chosen.randint(0, 1)}#", f"{chosen.choice(_NAMES)}().")
            found.append(reference(name, other, nth))
    return found


def _import(made: Workspace, paths: list[str]) -> None:
    sources = {path: (made.path / path).read_text() for path in paths}
    import_into(made, index(*(document(path, text, _said(path, text)) for path, text in sources.items())))


def _from_nothing(made: Workspace) -> bytes:
    text = Graph(rebuilt(made, _RESOLVERS).data, "memory")
    with open_view(made.store) as view:
        semantic = facts_of(view)
        if not semantic.fingerprint:
            return bytes(text.data)
        return b"".join(overlay(view, text, semantic, None, f"{_RESOLVERS.version}-{semantic.fingerprint}"))


@pytest.mark.parametrize("seed", range(6))
def test_edits_and_imports_in_any_order(tmp_path: Path, seed: int) -> None:
    """Files are edited, taken back, removed and indexed again, some at a time: every graph is that of a rebuild."""
    chosen = random.Random(seed)
    paths = [f"{letter}.py" for letter in "abcd"]
    made = synced(tmp_path / "tree", {path: _source(chosen) for path in paths})
    _import(made, paths)
    seen: dict[str, list[str]] = {path: [] for path in paths}
    semantic = 0
    for _ in range(12):
        alive = [path for path in paths if (made.path / path).exists()]
        for path in alive:
            seen[path].append((made.path / path).read_text())
        what = chosen.random()
        if what < 0.25:
            made.write({chosen.choice(paths): _source(chosen)})
        elif what < 0.45:
            made.write({(path := chosen.choice(paths)): chosen.choice(seen[path])})  # as it was
        elif what < 0.55 and len(alive) > 1:
            made.remove(chosen.choice(alive))
        elif what < 0.7:
            path = chosen.choice(alive)
            made.write({path: "# moved\n" + (made.path / path).read_text()})
        made.sync()
        alive = [path for path in paths if (made.path / path).exists()]
        if what > 0.6:
            _import(made, chosen.sample(alive, chosen.randint(1, len(alive))))
        with open_view(made.store) as view:
            opened = keep.open_graph(view, _RESOLVERS, workers=1, progress=silent)
        assert same_bytes(opened.graph, _from_nothing(made))
        semantic += sum(entry.semantic for entry in opened.graph.files)
    assert semantic > 0


def test_only_what_is_touched_is_joined_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An edit joins the files again whose facts look at it; the others are taken over as they are."""
    from everdex.graph.making.joining import Joiner

    go = symbol("a.py/", "A#", "go().")
    files = {
        "a.py": "class A:\n    def go(self):\n        pass\n",
        "b.py": "def run(x):\n    x.go()\n",
        "c.py": "class C:\n    def stop(self):\n        pass\n",
    }
    made = synced(tmp_path / "tree", files)
    said = [
        document("a.py", files["a.py"], [definition("go", go)]),
        document("b.py", files["b.py"], [reference("go", go)]),
        document("c.py", files["c.py"], [definition("stop", symbol("c.py/", "C#", "stop()."))]),
    ]
    import_into(made, index(*said))
    joined: list[str] = []
    join = Joiner.join

    def noted(self: Joiner, file: int, *rest: object) -> object:
        joined.append(self.atlas.graph.paths[file])
        return join(self, file, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Joiner, "join", noted)

    def graph() -> list[str]:
        joined.clear()
        with open_view(made.store) as view:
            keep.open_graph(view, _RESOLVERS, workers=1, progress=silent)
        return list(joined)

    assert graph() == ["a.py", "b.py", "c.py"]
    assert graph() == []
    made.write({"a.py": files["a.py"] + "# more\n"})
    made.sync()
    assert graph() == ["b.py"]  # a.py has no facts any more; c.py looks at nobody
    made.write({"a.py": files["a.py"], "d.py": ""})
    made.sync()
    assert graph() == ["a.py", "b.py"]  # what was not found is looked for again


def test_what_a_method_replaces_is_looked_at(tmp_path: Path) -> None:
    """A class stops inheriting: a call of its method no longer goes further than what the indexer names."""
    base = "class Engine:\n    def go(self):\n        pass\n"
    fast = "from base import Engine\n\n\nclass Fast(Engine):\n    def go(self):\n        pass\n"
    app = "from fast import Fast\n\n\ndef run():\n    Fast().go()\n"
    made = synced(tmp_path / "tree", {"base.py": base, "fast.py": fast, "app.py": app})
    go = symbol("base.py/", "Engine#", "go().")
    import_into(made, index(
        document("base.py", base, [definition("go", go)]), document("app.py", app, [reference("go", go)])
    ))  # fmt: skip

    def disagreeing() -> int:
        with open_view(made.store) as view:
            graph = keep.open_graph(view, _RESOLVERS, workers=1, progress=silent).graph
        return sum(entry.disagreeing for entry in graph.files)

    assert disagreeing() == 0
    made.write({"fast.py": fast.replace("(Engine)", "")})
    made.sync()
    assert disagreeing() == 1

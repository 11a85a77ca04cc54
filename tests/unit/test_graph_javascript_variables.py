"""Variables and fields of JavaScript and TypeScript: every place that reads or writes one, told at its line.

`// @ write settings.timeout; read settings.LIMIT`: from left to right; `?` is unresolved, `ext` outside the root.
"""

from __future__ import annotations

from pathlib import Path

from everdex.graph.model import Role, Site, Status
from javascript_world import MemoryWorld

FIXTURES = Path(__file__).parent.parent / "fixtures" / "variables" / "javascript"
_WORDS = {Role.WRITE: "write", Role.REFERENCE: "read", Role.IMPORT: "import"}
_KINDS = ("variable", "field")


def test_every_read_and_write_says_what_its_line_expects() -> None:
    """Each place that writes has a status, and each that means a variable leads to it."""
    files = {path.name: path.read_bytes() for path in FIXTURES.iterdir()}
    graphs = MemoryWorld(files).graphs()
    nodes = {(path, node.key): node for path, graph in graphs.items() for node in graph.nodes}

    def said(site: Site) -> str:
        if site.status is Status.UNRESOLVED:
            return f"{_WORDS[site.role]} ?"
        names = (nodes[t.path, t.key].qualified_name if t.path else f"ext {t.key}" for t in site.targets)
        return f"{_WORDS[site.role]} {', '.join(names)}"

    for path, graph in graphs.items():
        found: dict[int, list[str]] = {}
        for site in graph.sites:
            about = any(t.path and nodes[t.path, t.key].kind in _KINDS for t in site.targets)
            if site.role is Role.WRITE or (site.role in _WORDS and about):
                found.setdefault(site.line, []).append(said(site))
        for number, line in enumerate(files[path].decode().splitlines(), 1):
            expected = line.partition("// @ ")[2].split("; ") if "// @ " in line else []
            assert found.get(number, []) == expected, f"{path}:{number}: {line}"


def test_what_methods_store_is_a_field_and_no_part_of_the_interface() -> None:
    """`this.x = …` defines a field of the class; adding one changes no interface."""
    before = b"export class A {\n  a() {}\n}\n"
    after = b"export class A {\n  a() { this.x = 1; }\n}\n"
    plain, more = (MemoryWorld({"a.js": text}).graphs()["a.js"] for text in (before, after))
    fields = [(node.key, node.public) for node in more.nodes if node.kind == "field"]
    assert fields == [("A.x", False)]
    assert plain.interface == more.interface

"""The graph as text for other tools: Graphviz's dot, and tags in the extended format of Universal Ctags."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from everdex import __version__
from everdex.graph.definitions.atlas import Atlas
from everdex.graph.export.lists import Exporter
from everdex.identity.symbols import plain_name

_STYLES: Final = {
    "calls": "", "constructs": "", "inherits": "arrowhead=empty", "overrides": "arrowhead=empty, style=dotted",
    "decorates": "style=dotted", "references": "color=gray",
    "reads": "color=gray", "writes": "color=red", "imports": "color=gray, style=dotted", "contains": "",
}  # fmt: skip
_LABEL: Final = 200  # characters; Graphviz reads no text of more than 16,384
_TAGS_HEADER: Final = (
    "!_TAG_FILE_ENCODING\tutf-8\t//",
    "!_TAG_FILE_FORMAT\t2\t/extended format/",
    "!_TAG_FILE_SORTED\t1\t/0=unsorted, 1=sorted, 2=foldcase/",
    "!_TAG_PROGRAM_NAME\teverdex\t//",
    f"!_TAG_PROGRAM_VERSION\t{__version__}\t//",
)


def dot(atlas: Atlas) -> Iterator[str]:
    """Lines of a digraph: a box a definition, an arrow an edge; containment is left to the names."""
    exporter = Exporter(atlas)
    yield "digraph everdex {"
    yield '  rankdir=LR; node [shape=box, fontname="sans-serif"];'
    for node in exporter.nodes():
        name, path = _shown(node["qualified_name"]), _shown(node["path"])
        yield f"  {_quoted(node['id'])} [label={_quoted(name)}, tooltip={_quoted(path)}];"
    for found in exporter.edges():
        for edge in found.edges:
            if edge["kind"] == "contains":
                continue
            style = _STYLES[edge["kind"]]
            doubt = ', label="?"' if edge["certainty"] == "ambiguous" else ""
            listed = f'kind="{edge["kind"]}"{doubt}{", " + style if style else ""}'
            yield f"  {_quoted(edge['from'])} -> {_quoted(edge['to'])} [{listed}];"
    yield "}"


def _shown(name: str) -> str:
    """A name that a box has room for; the end says most."""
    return name if len(name) <= _LABEL else "…" + name[1 - _LABEL :]


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return f'"{escaped}"'


def ctags(atlas: Atlas) -> Iterator[str]:
    """Lines of a tags file, sorted by their bytes."""
    lines = []
    for file in range(len(atlas.graph.files)):
        entry = atlas.entry(file)
        nodes = atlas.columns(file).nodes
        for node in nodes[1:]:
            fields = [f"kind:{_value(node.kind)}", f"line:{node.name_line}", f"language:{_value(entry.language)}"]
            if node.parent > 0:
                around = nodes[node.parent]
                fields.append(f"scope:{_value(around.kind)}:{_value(plain_name(around.key))}")
            bracket = node.signature.find("(")
            if bracket >= 0:
                fields.append(f"signature:{_value(node.signature[bracket:])}")
            fields += [f"access:{'public' if node.public else 'private'}", f"end:{node.end_line}"]
            place = f'{_value(entry.path)}\t{node.name_line};"'
            lines.append("\t".join((_value(node.name), place, *fields)))
    yield from _TAGS_HEADER
    yield from sorted(lines, key=lambda line: line.encode("utf-8", "surrogatepass"))


def _value(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")

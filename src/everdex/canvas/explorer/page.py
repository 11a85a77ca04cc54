"""The explorer as one HTML document: picture, list, data, style and script in it, and nothing from elsewhere.

All that comes from the repository is either escaped text or data that the script writes as text. The document's own
policy allows this one script and this one style by their digests, and no connection to anything.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from importlib.resources import files
from typing import Final

import msgspec

from everdex.canvas.architecture import Architecture, Tie
from everdex.canvas.explorer.fitting import data, fitted
from everdex.canvas.explorer.seal import SEAL_BYTES, seal
from everdex.canvas.explorer.walk import walk
from everdex.canvas.lettering import link, safe
from everdex.canvas.outline import Part
from everdex.canvas.scene import Scene
from everdex.canvas.sheet import Caption
from everdex.canvas.survey import Survey
from everdex.canvas.svg import escaped, figure, style
from everdex.errors import QueryError
from everdex.graph.definitions.atlas import Atlas
from everdex.wording import plural

_SCRIPT: Final = ("model", "elements", "views", "picture", "search", "routes")  # each knows those before it


class Page(msgspec.Struct, frozen=True):
    content: bytes
    shown: dict[str, int]  # files, ties between them, symbols
    omitted: dict[str, int]  # those that there is no room for


def page(
    atlas: Atlas, found: Survey, model: Architecture, scene: Scene, caption: Caption, unknown: tuple[str, ...],
    most: int,
) -> Page:  # fmt: skip
    """The document, in at most so many bytes. `unknown` says in words what the graph does not tell."""
    before, behind = _framed(model, scene, caption)
    about = {"name": safe(model.name), "caption": caption.text(), "digest": caption.digest, "unknown": unknown}
    room = most - len(before) - len(behind) - SEAL_BYTES
    document = fitted(atlas, found, model, walk(atlas, found), about, room)
    body = before + data(document) + behind
    content = body + seal(body)
    if len(content) > most:
        raise QueryError(f"the page takes at least {len(content):,} bytes", hint="allow more with --max-bytes")
    shown = {name: len(document[name]) for name in document["omitted"]}
    return Page(content, shown, document["omitted"])


def _framed(model: Architecture, scene: Scene, caption: Caption) -> tuple[bytes, bytes]:
    """What stands before and behind the data."""
    look = style(None) + _file("explorer.css")
    script = f'"use strict";\n(() => {{\n{"".join(_file(f"script/{name}.js") for name in _SCRIPT)}}})();\n'
    policy = (
        f"default-src 'none'; style-src '{_digest(look)}'; script-src '{_digest(script)}'; base-uri 'none'; "
        "form-action 'none'"
    )
    name = escaped(model.name)
    before = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>{name} · explorer</title>
<style>{look}</style>
</head>
<body>
<header>
<h1><a href="#">{name}</a></h1>
<p id="caption" title="digest {escaped(caption.digest)}">{escaped(caption.text())}</p>
</header>
<main>
<section id="picture" aria-label="Architecture">
{figure(scene)}</section>
<section id="list" aria-label="Parts">
<noscript><p>Symbols, places and search need JavaScript; the picture and this list do not.</p></noscript>
<h2>Parts</h2>
<ul>{"".join(_items(model, model.root))}</ul>
</section>
<section id="panel" aria-label="What is chosen" tabindex="-1" hidden></section>
</main>
<script type="application/json" id="data">"""
    return before.encode(), f"</script>\n<script>{script}</script>\n</body>\n</html>\n".encode()


def _file(name: str) -> str:
    return files("everdex.canvas.explorer").joinpath(name).read_text("utf-8")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _items(model: Architecture, part: Part, used: str = "") -> Iterator[str]:
    """A part, what it uses beside it, and what is in it, as a list for who has no script."""
    entry = ", entry point" if part.entries and not part.children else ""
    size = f"{plural(len(part.files), 'file')}, {plural(part.lines, 'line')}"
    yield f'<li id="{link("part", part.key)}"><b>{escaped(part.label)}</b> {size}{entry}{used}'
    if part.children:
        yield "<ul>"
        for number, child in enumerate(part.children):
            yield from _items(model, child, _used(part, number, model.frames[part.key].ties))
        yield "</ul>"
    yield "</li>"


def _used(part: Part, number: int, ties: tuple[Tie, ...]) -> str:
    def told(tie: Tie) -> str:
        there = part.children[tie.target]
        where = link("edge", part.children[tie.source].key, there.key)
        doubt = f", {tie.doubtful:,} in doubt" if tie.doubtful else ""
        closes = ", closes a cycle" if tie.against and tie.certain else ""
        return f'<span id="{where}">{escaped(there.label)} ({tie.certain:,}{doubt}{closes})</span>'

    used = [told(tie) for tie in ties if tie.source == number]
    return f"<br>uses {', '.join(used)}" if used else ""

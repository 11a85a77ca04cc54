"""What a name is in a file that nobody resolves but that may run it: a template, configuration, assembly, code in a
language that uses another's definitions.

Decided by the text around the name on its line. Prose in a template, remarks, and the name of a setting itself, do not
count.
"""

from __future__ import annotations

import re
from typing import Final

from everdex.graph.text.syntax import NOTHING, PATH_BEFORE, Place, is_computed, owner_of
from everdex.languages import C_FAMILY, JVM

_TEMPLATES: Final = frozenset((
    "html", "vue", "svelte", "astro", "erb", "ejs", "jinja", "handlebars", "liquid", "haml", "pug",
))  # fmt: skip
_SETTINGS: Final = frozenset((
    "json", "yaml", "toml", "ini", "xml", "make", "cmake", "docker", "bazel", "meson", "procfile", "just", "asm",
))  # fmt: skip
_MAX_BEFORE: Final = 2_000  # bytes of a line that are looked at before a name
# Code that nobody resolves, with the languages whose definitions it names as its own.
CODE: Final = {
    "yacc": C_FAMILY, "lex": C_FAMILY, "objective-c": C_FAMILY | {"swift"}, "cython": C_FAMILY | {"python"},
    "groovy": JVM, "clojure": JVM,
    "coffeescript": frozenset(("javascript", "typescript", "tsx")), "fsharp": frozenset(("csharp",)),
}  # fmt: skip
LOOSE: Final = _TEMPLATES | _SETTINGS | CODE.keys()
_REMARK: Final = re.compile(rb"\s*(?:#|;|//|<!--|rem\b)", re.IGNORECASE)
_REMARKS: Final = {"clojure": b";", "cython": b"#", "coffeescript": b"#"}  # the others': //
_BEFORE: Final = re.compile(rb"[\"'({=|,@!&]\s*(?:[\w$]+[.:])*\Z")
_KEY: Final = re.compile(rb"[\"']?\s*[:=](?![:=\w])")


def how_in_text(language: str, source: bytes, start: int, end: int) -> Place:
    """`template`, `data` or `code` for a name that may stand for what has it."""
    near = max(0, start - _MAX_BEFORE)
    before = source[max(source.rfind(b"\n", near, start) + 1, near) : start]
    if language in CODE:
        remark = _REMARKS.get(language, b"//") in before or before.rfind(b"/*") > before.rfind(b"*/")
        return NOTHING if remark or before.lstrip().startswith(b"*") else Place("code")
    if language in _TEMPLATES:
        runs = is_computed(before) or before.rfind(b"{") > before.rfind(b"}")  # Svelte's and Astro's own are single
        return Place("template") if runs or _BEFORE.search(before) else NOTHING
    if _REMARK.match(before) or _KEY.match(source, end):
        return NOTHING
    path = PATH_BEFORE.search(before)
    return Place("data", owner_of(path[0]) if path else "")

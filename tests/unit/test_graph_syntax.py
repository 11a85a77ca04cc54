"""What a place of a source file is: told by its bytes where that is sure, by its grammar where not."""

from __future__ import annotations

import re

import pytest

from everdex.graph.text.python_text import PythonText
from everdex.graph.text.syntax import Syntax, possible

SOURCE = b'''"""name in prose, `name`."""
__all__ = [

    "name",  # name
]
__all__ += ("name",)
name = "name"
call(name="name", other=f"{name}")
x.name
'''


def places(word: bytes) -> list[int]:
    found, at = [], SOURCE.find(word)
    while at >= 0:
        found.append(at)
        at = SOURCE.find(word, at + 1)
    return found


def test_each_place_is_told_apart() -> None:
    """Prose, what `__all__` is given over blank lines and added to it, comments, code and formatted strings."""
    text = PythonText(SOURCE)
    assert [text.kind(place) for place in places(b"name")] == [
        "string", "string", "listed", "comment", "listed", "code", "string", "code", "string", "formatted", "code",
    ]  # fmt: skip


def test_what_the_bytes_tell_is_what_the_grammar_says() -> None:
    """Whatever a place is by its grammar was possible by its bytes, so nothing is lost by not parsing."""
    syntax = Syntax("python", SOURCE)
    said = []
    for start in places(b"name"):
        end = start + len(b"name")
        may_be = syntax.narrowed(possible("python", SOURCE, start, end), start)
        how = syntax.how(start, end)
        said.append(how)
        assert not how or how in may_be, (start, how, may_be)
    assert said == ["", "", "listed", "", "listed", "name", "text", "key", "text", "name", "member"]


@pytest.mark.parametrize(
    ("language", "source", "how"),
    [
        ("javascript", b"const a = { key: name };", "name"),
        ("javascript", b"route('home.name')", "path"),
        ("javascript", b"f(`name`)", "text"),
        ("javascript", b"x = `${name}`", "name"),
        ("javascript", b"f({ name })", "shorthand"),
        ("ruby", b"before_action :name\n", "text"),
        ("ruby", b"X = %i[other name]\n", "text"),
        ("ruby", b"X = %w[other name]\n", "text"),
        ("bash", b"trap name EXIT\n", "name"),
        ("php", b"<?php $f = ['Home', 'name'];", "text"),
        ("go", b'package a\nvar x = `{{ .name }}`\n', "template"),
    ],
)
def test_other_languages(language: str, source: bytes, how: str) -> None:
    """The same for places of other languages: names in lists without quotes, in paths, in templates."""
    start = source.index(b"name")
    end = start + len(b"name")
    syntax = Syntax(language, source)
    assert syntax.how(start, end) == how
    assert how in syntax.narrowed(possible(language, source, start, end), start)


_WRITTEN = b'''def test_plugin(pytester):
    """Prose about name, name() and
    name.
    """
    pytester.makepyfile(
        """
        import shop

        def test_open():
            shop.name(1)  # name
            print("name")
        """
    )
    run("""
from shop import name
name()
""")
    say("""
    name(
    is no code
    """)
    run("""\\
        import shop
        shop.name()
    """)
    say("name()")
    say("it\\
name(1)   ")
'''


def test_code_in_a_string_of_several_lines_uses_names() -> None:
    """A module that a test writes is read as code as far as it is some; prose, and what is no whole code, is not."""
    syntax = Syntax("python", _WRITTEN)
    starts = [match.start() for match in re.finditer(b"name", _WRITTEN)]
    said = []
    for start in starts:
        end = start + len(b"name")
        may_be = syntax.narrowed(possible("python", _WRITTEN, start, end), start)
        how = syntax.how(start, end)
        assert not how or how in may_be, (start, how, may_be)
        said.append(how)
    assert said == ["", "", "", "path", "", "text", "path", "path", "", "path", "", ""]

"""What a Python file says of itself, whatever is in it."""

from __future__ import annotations

import pytest

from everdex.config import IndexConfig
from everdex.facts import facts_of
from everdex.facts.python import model as m
from everdex.facts.python.flow import MAX_REACHING
from everdex.graph.python.file.layout import Expressions, Layout
from everdex.parse import Read, grammar, parse_file


def facts(text: str | bytes) -> m.Facts:
    data = text.encode() if isinstance(text, str) else text
    tree = grammar.parse_tree("python", data)
    assert tree is not None
    return m.decode(facts_of("a.py", (Read("python", tree.root_node, tree.root_node.has_error),), data))


def keys(found: m.Facts) -> list[str]:
    return [scope.key for scope in found.scopes if scope.kind != m.COMPREHENSION_SCOPE]


def calls(found: m.Facts) -> int:
    return sum(entry[0] == m.CALL for entry in m.decode_expressions(found))


def test_facts_are_a_function_of_the_bytes() -> None:
    """The same bytes give the same facts, and the first byte names who wrote them."""
    data = b"def f(a, *b, c=1, **d):\n    return [x for x in a]\n"
    tree = grammar.parse_tree("python", data)
    assert tree is not None
    first = facts_of("a.py", (Read("python", tree.root_node, tree.root_node.has_error),), data)
    assert first == facts_of("b/c.py", (Read("python", tree.root_node, tree.root_node.has_error),), data)
    assert first[:1] == m.FORMAT


def test_definitions_have_keys_of_their_own() -> None:
    """Redefinitions, nested definitions and lambdas are told apart, lambdas by their order in the text."""
    found = facts(
        "def f():\n    def g(): pass\n    return lambda: (lambda: 1)\n"
        "def f(): pass\nclass C:\n    x = lambda self: 1\n    def f(self): pass\n"
        "table = {lambda: 1: lambda: 2}\nz = [lambda: q for q in (lambda: 3,)]\n"
    )
    assert sorted(keys(found)) == sorted(
        ["", "f", "f.g", "f.<lambda1>", "f.<lambda1>.<lambda1>", "f~2", "C", "C.<lambda1>", "C.f", "<lambda1>",
         "<lambda2>", "<lambda3>", "<lambda4>"]
    )  # fmt: skip


@pytest.mark.parametrize(
    ("written", "kind", "value"),
    [
        ("'one'", "str", "one"),
        ('"""two"""', "str", "two"),
        ("r'''th'ree'''", "str", "th'ree"),
        ("Rb'four'", "bytes", "four"),
        ("''", "str", ""),
        (r"'a\n'", "str", None),
        (f"'{'x' * 63} '", "str", f"{'x' * 63} "),
        (f"'{'x' * 64} '", "str", None),
        (f"'{'x' * 160}'", "str", "x" * 160),
        (f"'{'x' * 161}'", "str", None),
    ],
)
def test_a_string_is_known_by_what_stands_between_its_quotes(written: str, kind: str, value: str | None) -> None:
    """Prefixes and quotes are no part of a string's value; one with an escape, too long for a key, or without a space
    too long for a dotted name, has none."""
    found = facts(f"x = {written}\n")
    assert [entry[1:] for entry in m.decode_expressions(found) if entry[0] == m.LITERAL] == [(kind, value)]


@pytest.mark.parametrize(
    ("written", "around", "altered"),
    [
        ("f'get_{name}_{other}'", ["get_", "_", ""], []), ("f'{name}_rest'", ["", "_rest"], []),
        ("f'{name!r}_{other:02}_{other=}'", ["", "_", "_", ""], [0, 1, 2]), ("f'{name!s}'", ["", ""], [0]),
        ("f'a sentence about {name}'", [], []), ("f'{{{name}'", [], []), ("f'\\x41{name}'", [], []),
        ("f'{name}" + "a" * 65 + "'", [], []), ("'get_' f'{name}' '_it'", ["", "", "", ""], []),
    ],
)  # fmt: skip
def test_a_formatted_string_keeps_the_texts_around_its_values(
    written: str, around: list[str], altered: list[int]
) -> None:
    """What could be a name is kept piece by piece; of what has spaces, braces or escapes nothing is."""
    found = [entry for entry in m.decode_expressions(facts(f"x = {written}\n")) if entry[0] == m.FORMATTED]
    assert [*found[-1][2]] == around
    assert [*found[-1][4]] == altered


@pytest.mark.parametrize(
    ("written", "text"), [("'a' 'b'", "ab"), ("('a' # b\n 'c')", "ac"), ("'a' b'b'", None), ("'a' 'b c' * 2", "ab c")]
)
def test_strings_in_a_row_are_one_text(written: str, text: str | None) -> None:
    """A few of them are read as one; bytes are no text."""
    assert (m.LITERAL, "str", text) in m.decode_expressions(facts(f"x = {written}\n"))


@pytest.mark.parametrize(
    "broken",
    ["x = (((\n", "def (:\n    pass\n", "class\n", "if True\n    y()\n", "f(a b)\n", "return return\n", "\x00\n"],
)
def test_what_stands_outside_a_syntax_error_is_there(broken: str) -> None:
    """Definitions before and after an error are kept, and the file says that it is partial."""
    found = facts(f"def before():\n    one()\n\n\n{broken}\n\ndef after():\n    two()\n")
    assert found.partial
    assert "before" in keys(found)
    assert calls(found) >= 1


def test_a_whole_file_is_not_partial() -> None:
    """Only a syntax error makes a file partial."""
    assert not facts("x = 1\n").partial


@pytest.mark.parametrize("opening", ["(", "[", "{1:", "-", "not ", "f(", "lambda: ", "a if b else ", "x[", "a.b(", "*"])
def test_nesting_has_no_limit_that_fails(opening: str) -> None:
    """Ten thousand levels of anything give facts, not an error."""
    closing = {"(": ")", "[": "]", "{1:": "}", "f(": ")", "x[": "]", "a.b(": ")"}.get(opening, "")
    count = 3_000
    found = facts(f"def f(): pass\nx = {opening * count}1{closing * count}\n")
    assert "f" in keys(found)


def test_calls_inside_too_much_nesting_are_still_calls() -> None:
    """Beyond the depth that is followed each call is still there to be answered."""
    found = facts("x = " + "f(" * 500 + "1" + ")" * 500 + "\n")
    assert calls(found) == 500


def test_long_chains_cost_no_depth() -> None:
    """A sum of thousands of terms is read to its end."""
    found = facts("x = " + " + ".join(f"f{i}()" for i in range(3_000)) + "\n")
    assert calls(found) == 3_000


def test_stars_in_a_long_chain_are_not_looked_around_for() -> None:
    """What is no Python costs its length: each star asked for its parent from the root, 14 s for these 40 KB."""
    found = facts(f"x = a{'/*b' * 40_000}\n")
    assert sum(entry[0] == m.BINARY for entry in m.decode_expressions(found)) == 40_000


def test_deeply_nested_blocks_and_definitions() -> None:
    """Blocks and definitions inside each other are read without recursion of that depth."""
    blocks = "".join(" " * depth + "if x:\n" for depth in range(150)) + " " * 150 + "f()\n"
    assert calls(facts(blocks)) == 1
    inner = "".join(" " * depth + f"def f{depth}():\n" for depth in range(150)) + " " * 150 + "g()\n"
    found = facts(inner)
    assert len(found.scopes) == 151
    assert calls(found) == 1


def test_a_function_of_ten_thousand_lines() -> None:
    """Branches that assign the same name thousands of times stay bounded."""
    body = "".join(f"    if a:\n        x = f{i}\n    x()\n" for i in range(3_400))
    found = facts(f"def big(a):\n{body}")
    assert calls(found) == 3_400
    reaching = max(len(entry[2]) for entry in m.decode_expressions(found) if entry[0] == m.NAME)
    assert reaching == MAX_REACHING


def test_names_may_be_any_identifier() -> None:
    """Unicode names are names, with byte positions."""
    found = facts("größe = 1\nдела = größe\nclass Ключ: pass\n")
    assert [binding[1] for binding in found.bindings] == ["größe", "дела", "Ключ"]
    places = m.decode_places(found)
    read = next(number for number, entry in enumerate(m.decode_expressions(found)) if entry[0] == m.NAME)
    assert (places.starts[read], places.lengths[read]) == (len("größe = 1\nдела = ".encode()), len("größe".encode()))


def test_all_is_read_when_it_is_literal() -> None:
    """__all__ from literals, also added to; anything computed leaves it open."""
    assert facts('__all__ = ["a"] + ["b"]\n__all__ += ("c",)\n').exported == ["a", "b", "c"]
    assert facts('__all__ = ["a"]\n__all__.append("b")\n__all__.extend(["c"])\n').exported == ["a", "b", "c"]
    assert facts("__all__ = names()\n").exported is None
    assert facts('__all__ = names()\n__all__ += ["a"]\n').exported is None
    assert facts('__all__ = ["a"]\n__all__.extend(names())\n').exported is None


def test_expressions_are_the_same_one_by_one_and_all_at_once() -> None:
    """Who asks for some expressions of a long file, in any order, gets what is there when all are decoded."""
    text = "".join(f"def f{number}(a):\n    return g(a, {number}, *a)[a]\n" for number in range(200))
    tree = grammar.parse_tree("python", text.encode())
    assert tree is not None
    data = facts_of("a.py", (Read("python", tree.root_node, tree.root_node.has_error),), text.encode())
    every, some = Layout("a.py", data).complete(), Layout("a.py", data).entries
    assert len(every) > 4 * m.STRETCH
    assert isinstance(some, Expressions)
    for number in (len(every) - 1, 0, m.STRETCH, m.STRETCH - 1, len(every) // 2):
        assert some[number] == every[number]
    assert len(some) < len(every)
    assert [some[number] for number in range(len(every))] == every


def test_identifiers_are_known_in_one_spelling_and_texts_are_not() -> None:
    """Python makes one name of all spellings that NFKC makes one; strings stay as they are written."""
    found = facts("def \ufb01nd(cafe\u0301):\n    return caf\u00e9.\ufb01le\n\n\n__all__ = [\"\ufb01nd\"]\n")
    assert "find" in keys(found)
    names = {entry[1] for entry in Layout("a.py", m.encode(found)).complete() if entry[0] == m.NAME}
    assert names == {"caf\u00e9"}
    assert found.exported == ["\ufb01nd"]
    symbols = parse_file("a.py", "def \ufb01nd():\n    pass\n".encode(), IndexConfig()).symbols
    assert [(symbol.name, symbol.name_column) for symbol in symbols] == [("find", 4)]


def test_what_is_called_on_a_text_that_stands_there_is_no_call_by_name() -> None:
    """Who looks for the calls of a method need not look through every `", ".join()`."""
    found = facts('", ".join(parts), f"{x}".join(parts)\ngroup.join(parts)\n')
    entries = m.decode_expressions(found)
    (only,) = m.decode_calls(found)["join"]
    assert entries[entries[entries[only][1]][1]][:2] == (m.NAME, "group")


@pytest.mark.parametrize(
    ("body", "is_noted"),
    [
        ("app = layer(app)", True),
        ("note(layer); app = layer(name, inner=app)", True),
        ("app = layer(app); show(app)", False),
        ("if layer: app = layer(app)", False),
        ("app = layer(app)\n    if app: break", False),
        ("if layer: continue\n    app = layer(app)", False),
        ("app = layer(app, app)", False),
        ("app = other(app)", False),
        ("for _ in (1, 2): app = layer(app)", False),
    ],
)
def test_what_a_loop_makes_of_what_it_made_before_is_noted(body: str, is_noted: bool) -> None:
    """Only where every round calls what the loop takes with what the round before made, and nobody reads it there."""
    found = facts(f"app = first\nfor layer in layers:\n    {body}\napp()\n")
    assert (m.IN_ROUNDS in [flag for _, name, _, flag in found.bindings if name == "app"]) == is_noted

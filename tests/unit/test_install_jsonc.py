"""JSON with comments: entries go in and come out, and every other byte stays."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everdex.surfaces.install import jsonc

SERVER = {"command": "everdex", "args": ["mcp"]}
TEXTS = [
    "{}",
    "{ }",
    "{\n}\n",
    "{\r\n}\r\n",
    "{ // nothing yet\n}",
    '{"mcpServers": {}}',
    '{"mcpServers": {\n}}',
    '{"mcpServers":{"other":{"command":"x"}}}',
    '{\n  "mcpServers": {}\n}\n',
    '{\n    "a": 1,\n    "mcpServers": {\n        "other": {"command": "x"}\n    }\n}\n',
    '{\n\t"a": [1, 2], // why\n\t"mcpServers": { /* none */ },\n\t"z": null,\n}\n',
    '{\r\n  "a": 1\r\n}\r\n',
    '{\n  "a": 1 // the last\n  /* more */\n}',
    '{\n  "a": "http://not-a-comment", // comment\n  "b": "/* neither */"\n}\n',
    '{"a": 1, "b": 2}',
    '{"a": 1 // why\n}',
    '{"a": 1}\n// the end',
    '{\n// why\n    "a": 1\n}\n',
    '{\n"a": 1\n}\n',
    '{\n  "mcpServers": {\n    "other": {"command": "x"}, // trailing\n  },\n}\n',
    '{"a": "\\" } {", "c": "\\\\"}',
    '{"hooks": {"PostToolUse": []}}',
    '{\n  "hooks": {\n    "PostToolUse": [\n      {"matcher": "Bash", "hooks": []}\n    ]\n  }\n}\n',
]


def plain(text: str) -> Any:
    return jsonc.parse(text).value


@pytest.mark.parametrize("text", TEXTS)
def test_a_member_goes_in_and_out(text: str) -> None:
    """The value is there, every older value too, and taking it out gives the text from before."""
    path = ("mcpServers", "everdex")
    put = jsonc.put(text, path, SERVER)
    assert jsonc.get(put, path) == SERVER
    expected = plain(text)
    expected.setdefault("mcpServers", {})["everdex"] = SERVER
    assert plain(put) == expected
    assert jsonc.drop(put, path, lambda found: found == SERVER) == text


@pytest.mark.parametrize("text", TEXTS)
def test_an_element_goes_in_and_out(text: str) -> None:
    """The same for the last element of an array, also one that has to be made, and for two in a row."""
    first, second = ("hooks", "PostToolUse"), ("hooks", "SessionStart")
    put = jsonc.append(jsonc.append(text, first, SERVER), second, SERVER)
    assert plain(put)["hooks"]["PostToolUse"][-1] == SERVER
    assert plain(put)["hooks"]["SessionStart"] == [SERVER]
    for path in (second, first):
        put = jsonc.discard(put, path, lambda found: found == SERVER)
    assert put == text


def test_the_style_of_the_file_is_kept() -> None:
    """Indentation, line ends and trailing commas are those of the neighbours."""
    assert jsonc.put('{\n\t"a": 1\n}', ("m", "e"), {"x": 1}) == (
        '{\n\t"a": 1,\n\t"m": {\n\t\t"e": {\n\t\t\t"x": 1\n\t\t}\n\t}\n}'
    )
    assert jsonc.put('{\r\n  "a": 1\r\n}', ("m",), 2) == '{\r\n  "a": 1,\r\n  "m": 2\r\n}'
    assert jsonc.put('{\n  "a": 1, // one\n}', ("m",), 2) == '{\n  "a": 1, // one\n  "m": 2,\n}'
    assert jsonc.put('{"a": 1}', ("m", "e"), 2) == '{"a": 1, "m": { "e": 2 }}'
    commented = '{\n// why\n    "a": 1\n}'  # a comment says nothing of how members are indented
    assert jsonc.put(commented, ("m", "e"), 2) == '{\n// why\n    "a": 1,\n    "m": {\n        "e": 2\n    }\n}'
    assert jsonc.put('{\n"a": 1\n}', ("m", "e"), 2) == '{\n"a": 1,\n"m": {\n  "e": 2\n}\n}'


def test_what_others_added_stays() -> None:
    """Members before, behind and inside of what we made survive its removal, with their comments."""
    text = '{\n  "mcpServers": {\n    "everdex": 1,\n    // theirs\n    "other": 2\n  }\n}\n'
    assert jsonc.drop(text, ("mcpServers", "everdex"), lambda _: True) == (
        '{\n  "mcpServers": {\n    // theirs\n    "other": 2\n  }\n}\n'
    )
    text = '{\n  "hooks": [\n    1,\n    2,\n    1\n  ]\n}'
    assert jsonc.discard(text, ("hooks",), lambda found: found == 1) == '{\n  "hooks": [\n    2\n  ]\n}'


def test_only_what_is_wanted_goes() -> None:
    """Another value at the same place, or no such place, changes nothing."""
    text = '{"mcpServers": {"everdex": {"command": "/my/own"}}}'
    assert jsonc.drop(text, ("mcpServers", "everdex"), lambda found: found == SERVER) == text
    assert jsonc.drop(text, ("nothing", "here"), lambda _: True) == text
    assert jsonc.drop('{"a": 1}', ("a", "b"), lambda _: True) == '{"a": 1}'
    assert jsonc.get('{"a": "b"}', ("a", "b")) is None


@pytest.mark.parametrize(
    "text",
    ["", " ", "{", "}", '{"a"}', '{"a": }', '{"a": 1 "b": 2}', "{'a': 1}", "{a: 1}", '{"a": 1} x', "[1, , 2]", "[,]",
     '{"a": /* open', '{"a": "open', "[" * 200 + "]" * 200, "nul", '{"a": 01}', "{1: 2}"],
)  # fmt: skip
def test_what_is_not_json_is_refused(text: str) -> None:
    """With line and column, and never with another exception."""
    with pytest.raises(jsonc.JsoncError, match=r"line \d+, column \d+: "):
        jsonc.parse(text)


def test_a_wrong_shape_is_refused() -> None:
    """A string where an object is needed, an object where an array is."""
    with pytest.raises(jsonc.JsoncError, match="mcpServers is not an object"):
        jsonc.put('{"mcpServers": []}', ("mcpServers", "everdex"), 1)
    with pytest.raises(jsonc.JsoncError, match=r"hooks\.Stop is not an array"):
        jsonc.append('{"hooks": {"Stop": {}}}', ("hooks", "Stop"), 1)
    with pytest.raises(jsonc.JsoncError, match="whole document"):
        jsonc.put("[]", ("a",), 1)


_TEXT = st.text('ab"\\/*{}[],: \né', max_size=8)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | _TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=8,
)


@given(
    st.dictionaries(st.sampled_from(["m", "e", "x", "y"]), _JSON, max_size=4),
    st.sampled_from([None, 1, 2, 4, "\t"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_any_document_comes_back(document: dict[str, Any], indent: Any, newline: str) -> None:
    """Whatever json.dumps writes, an entry goes in and out without a trace, or is refused for its shape."""
    text = json.dumps(document, indent=indent).replace("\n", newline)
    assert plain(text) == document
    wanted = ("m", "ours", "deep")
    try:
        put = jsonc.put(text, wanted, SERVER)
    except jsonc.JsoncError:
        return
    assert jsonc.get(put, wanted) == SERVER
    assert jsonc.drop(put, wanted, lambda found: found == SERVER) == text

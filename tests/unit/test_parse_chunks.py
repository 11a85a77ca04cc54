"""Chunks: they tile the file, keep within the limits and follow what the file defines."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everdex import limits
from everdex.config import IndexConfig
from everdex.languages import GRAMMARS
from everdex.parse import Chunk, ParsedFile, ParseStatus, parse_file

CONFIG = IndexConfig()
SMALL = IndexConfig(chunk_max_lines=5, chunk_max_chars=200)
EXTENSIONS = {
    "bash": "sh", "c": "c", "cpp": "cpp", "csharp": "cs", "css": "css", "cuda": "cu", "cython": "pyx", "elixir": "ex",
    "go": "go", "haskell": "hs", "html": "html", "java": "java", "javascript": "js", "json": "json", "kotlin": "kt",
    "lua": "lua", "markdown": "md", "php": "php", "python": "py", "ruby": "rb", "rust": "rs", "scala": "scala",
    "sql": "sql", "svelte": "svelte", "swift": "swift", "toml": "toml", "tsx": "tsx", "typescript": "ts",
    "vue": "vue", "yaml": "yaml", "zig": "zig",
}  # fmt: skip


def check(parsed: ParsedFile, data: bytes, config: IndexConfig) -> None:
    """Everything that holds for the chunks and symbols of any file."""
    position = 0
    defined: list[int] = []
    for ordinal, chunk in enumerate(parsed.chunks):
        assert (chunk.ordinal, chunk.start_byte) == (ordinal, position)
        assert chunk.end_byte > position
        assert len(data[position : chunk.end_byte].decode()) <= config.chunk_max_chars
        assert chunk.start_line == data.count(b"\n", 0, position) + 1
        assert chunk.end_line == data.count(b"\n", 0, chunk.end_byte - 1) + 1
        assert chunk.end_line - chunk.start_line < config.chunk_max_lines
        defined += chunk.defines
        for index in chunk.defines:
            assert position <= parsed.symbols[index].start_byte < chunk.end_byte
        position = chunk.end_byte
    assert position == len(data)
    assert defined == list(range(len(parsed.symbols)))
    lines = re.findall(rb"[^\n]*\n|[^\n]+", data)
    for symbol in parsed.symbols:
        named = len(b"".join(lines[: symbol.name_line - 1])) + symbol.name_column
        assert symbol.start_byte <= named < symbol.end_byte <= len(data)
        assert symbol.name_column < len(lines[symbol.name_line - 1])
        assert "\n" not in symbol.signature
        assert max(len(symbol.signature), len(symbol.doc)) <= 240
    ends = [0, *(end for _, end in parsed.doc_ranges)]
    assert all(start >= before and end > start for (start, end), before in zip(parsed.doc_ranges, ends, strict=False))


def parse(name: str, text: str, config: IndexConfig = CONFIG) -> ParsedFile:
    data = text.encode()
    parsed = parse_file(name, data, config)
    check(parsed, data, config)
    return parsed


def text_of(chunk: Chunk, text: str) -> str:
    return text.encode()[chunk.start_byte : chunk.end_byte].decode()


def test_every_grammar_is_in_the_property_test() -> None:
    """A new grammar cannot be left out of the tiling property."""
    assert set(EXTENSIONS) == set(GRAMMARS)


fragments = st.sampled_from(
    ["def f():\n", "    x = 1\n", "{", "}", "(", ")", "[", "]", '"', "'", "\n", "\r\n", "# T\n", "```py\n", "```\n",
     "é", "\t", "<script>", "</script>", "<style>", "/* ", " */", "//", "--", "class A {\n", "function g() {\n",
     "key: v\n", "[t]\n", "\ufeff", "漢字", "\U0001f600", "x" * 300, ";", "end\n", "do\n", "module M\n", "::",
     "@doc\n", "=", ",", "\x0b", "\u2028"]
)  # fmt: skip
texts = st.lists(st.one_of(fragments, st.text(max_size=8)), max_size=40).map(
    lambda parts: "".join(parts).encode("utf-8", "ignore").replace(b"\0", b"").decode()
)


@pytest.mark.parametrize("extension", [*EXTENSIONS.values(), "txt"])
def test_any_text_is_tiled(extension: str) -> None:
    """Chunks of arbitrary text cover it once, in order, within the limits, in every language."""

    @settings(max_examples=25)
    @given(texts)
    def holds(text: str) -> None:
        parse(f"a.{extension}", text, SMALL)

    holds()


def test_empty_and_blank_files() -> None:
    """An empty file has no chunks; a blank one is not lost."""
    assert parse("a.py", "").chunks == ()
    assert len(parse("a.py", "\n\n  \n").chunks) == 1


def test_small_neighbours_share_a_chunk_and_large_definitions_stand_alone() -> None:
    """Tiny functions are grouped; one of more than a dozen lines has its own chunk."""
    large = "def large():\n" + "".join(f"    step_{n}()\n" for n in range(20))
    text = "def a():\n    pass\n\n\ndef b():\n    pass\n\n\n" + "# about large\n" + large + "\n\ndef c():\n    pass\n"
    parsed = parse("a.py", text)
    names = [[parsed.symbols[index].name for index in chunk.defines] for chunk in parsed.chunks]
    assert names == [["a", "b"], ["large"], ["c"]]
    assert text_of(parsed.chunks[1], text).startswith("# about large\ndef large")
    assert parsed.chunks[1].breadcrumb == ("large",)


def test_a_large_class_is_a_header_and_its_members() -> None:
    """Members of a class that does not fit carry its name in their breadcrumb."""
    method = "    def m{0}(self):\n" + "        call('{0}')\n" * 30
    methods = "\n".join(method.replace("{0}", str(n)) for n in range(4))
    text = 'class Big:\n    """' + "Says so. " * 60 + '"""\n\n    size = 1\n\n' + methods
    parsed = parse("a.py", text)
    assert [chunk.breadcrumb for chunk in parsed.chunks] == [("Big",), *(("Big", f"m{n}") for n in range(4))]
    assert text_of(parsed.chunks[0], text).startswith("class Big:")


def test_a_bare_header_is_no_chunk() -> None:
    """A header of a line or two goes with what follows it, in a class as in a function."""
    body = "".join(f"        call({n})\n" for n in range(40))
    parsed = parse("a.py", "class Big:\n" + "".join(f"    def m{n}(self):\n{body}\n" for n in range(4)))
    assert [len(chunk.defines) for chunk in parsed.chunks] == [2, 1, 1, 1]
    statements = "".join(f"    call_number({n})\n" for n in range(73))
    parsed = parse("a.py", f"def f(\n    a,\n    b,\n):\n{statements}")
    assert parsed.chunks[0].end_line > 10


def test_over_long_function_is_cut_between_statements() -> None:
    """No statement of an over-long function is cut in two, and each part names the function."""
    call = "    result_{0} = compute(\n        'first {0}',\n        'second {0}',\n    )\n"
    text = "def long(x):\n" + "".join(call.replace("{0}", str(n)) for n in range(120))
    parsed = parse("a.py", text)
    assert len(parsed.chunks) > 3
    for chunk in parsed.chunks[1:]:
        assert text_of(chunk, text).startswith("    result_")
        assert (chunk.breadcrumb, chunk.symbol) == (("long",), 0)


def test_statements_inside_a_nested_block_are_kept_whole() -> None:
    """Cutting goes down into a block that is itself too long."""
    inner = "".join(f"            f(\n                {n},\n            )\n" for n in range(150))
    text = f"def g():\n    with a:\n        for x in y:\n{inner}    return 1\n"
    chunks = parse("a.py", text).chunks
    assert len(chunks) > 5
    for chunk in chunks[1:]:
        assert text_of(chunk, text).startswith("            f(\n")


def test_braces_are_cut_between_statements() -> None:
    """The same holds in a language whose bodies begin on the line of the header."""
    text = "int main(void) {\n" + "".join(f"  call(1,\n    {n});\n" for n in range(200)) + "}\n"
    chunks = parse("a.c", text).chunks
    assert len(chunks) > 5
    for chunk in chunks[1:]:
        assert text_of(chunk, text).startswith("  call(")


def test_giant_line_is_cut_between_characters() -> None:
    """A line longer than a chunk is cut without breaking a character or a line number."""
    parsed = parse("a.txt", "first\n" + "漢字é" * 3_000 + "\nlast")
    assert {chunk.start_line for chunk in parsed.chunks} <= {1, 2, 3}
    assert parsed.status is ParseStatus.WINDOWS


@pytest.mark.parametrize("prefix", ["", "\ufeff"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_line_ends_marks_and_missing_newline(prefix: str, newline: str) -> None:
    """CRLF, a byte order mark and a missing last newline change neither symbols nor tiling."""
    lines = ["def f(x):", '    """Doc of f."""', "    return x", "", "größe = 1", "", "class C:", "    pass"]
    text = prefix + newline.join(lines)
    parsed = parse("a.py", text)
    assert [item.qualified_name for item in parsed.symbols] == ["f", "größe", "C"]
    assert [item.name_line for item in parsed.symbols] == [1, 5, 7]
    assert (parsed.symbols[0].signature, parsed.symbols[0].doc) == ("def f(x)", "Doc of f.")


def test_broken_syntax_is_partial_and_keeps_what_is_whole() -> None:
    """Definitions outside the error are found and the file is marked."""
    parsed = parse("a.py", "def good():\n    pass\n\n\ndef (((:\n\n\nclass Fine:\n    pass\n")
    assert parsed.status is ParseStatus.PARTIAL
    assert "good" in {item.name for item in parsed.symbols}


def test_language_without_grammar_is_windows() -> None:
    """Line windows end where the text pauses."""
    text = "".join(f"paragraph {n} line one\nline two\n\n" for n in range(80))
    parsed = parse("a.rst", text)
    assert parsed.status is ParseStatus.WINDOWS
    assert all(text_of(chunk, text).endswith("\n\n") for chunk in parsed.chunks)


HOSTILE = {
    "nested.py": "[" * 100_000,
    "nested.json": "[" * 100_000,
    "nested.js": "({[" * 30_000,
    "quotes.md": "> " * 20_000,
    "minified.js": "function f(a){return a+1};" * 20_000,
    "one_line.json": '{"a":[1,2,3],"b":"xyz"},' * 60_000,
    "deep.py": "".join(" " * n + "if a:\n" for n in range(600)),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_answered(name: str) -> None:
    """Absurd nesting, broken megabytes and minified code give tiles, not errors."""
    parse(name, HOSTILE[name])


def test_parse_beyond_its_budget_falls_back_to_windows() -> None:
    """A grammar whose recovery runs away is stopped, and the file is marked as windows."""
    assert parse("prose.cpp", "foo bar baz\n" * 30_000).status is ParseStatus.WINDOWS


UNENDING = """{e
t
#

 Any, shelf: Any) {
    if (any is Item && any.price() > 1) any.price(2) //> Item.price; Item.price~2
    when (shelf) {
#endif
        is Shelf -> shelf.top() //> Shelf.top
        is Item -> shelf.price() //> Item.price
    }
    any.hashCode() //> !
}

class Box(val size: Int) {
    constructor(text: String, times: Int) : this(text.length * times) { //> Box
        fill() //> Box.fill
    }
"""


def test_a_small_file_is_parsed_within_the_budget_too() -> None:
    """Kotlin's grammar recovers from this for ever: without a budget the test would not end."""
    assert parse("cut.kt", UNENDING).status is ParseStatus.WINDOWS


def test_file_of_too_many_chunks_is_given_up_early() -> None:
    """Only one chunk more than the cap is built: enough for the caller to skip the file."""
    for name in ("a.txt", "a.py"):
        parsed = parse_file(name, b"x = 1\n" * 60_000, SMALL)
        assert len(parsed.chunks) == limits.MAX_CHUNKS_PER_FILE + 1


def test_a_comment_stays_with_the_statement_below_it() -> None:
    """Cutting an over-long function never parts a comment from what it explains."""
    text = "def f():\n" + "".join(f"    # reason number {n}\n    act(\n        {n})\n" for n in range(150))
    chunks = parse("a.py", text).chunks
    assert len(chunks) > 5
    for chunk in chunks[1:]:
        assert text_of(chunk, text).startswith("    # reason")

"""Embedded code: fences of Markdown, scripts and styles of HTML and Vue."""

from __future__ import annotations

from everdex.config import IndexConfig
from everdex.parse import ParsedFile, ParseStatus, parse_file

MARKDOWN = """# Guide

Intro.

## Install

Run this:

```python
class Setup:
    def run(self):
        pass
```

After.

### Deeper

```mermaid
graph TD; A-->B
```

## Use

~~~
plain
~~~
"""


def parse(name: str, text: str) -> ParsedFile:
    parsed = parse_file(name, text.encode(), IndexConfig())
    assert b"".join(text.encode()[c.start_byte : c.end_byte] for c in parsed.chunks) == text.encode()
    return parsed


def test_markdown_fences_are_segments_under_their_heading() -> None:
    """A fence is its own chunk with its own language, and its breadcrumb continues the headings'."""
    parsed = parse("a.md", MARKDOWN)
    fences = [(c.segment_id, c.language, c.breadcrumb, c.start_line, c.end_line) for c in parsed.chunks if c.segment_id]
    assert fences == [
        ("md:fence:0", "python", ("Guide", "Install", "Setup"), 9, 13),
        ("md:fence:1", "mermaid", ("Guide", "Install", "Deeper"), 19, 21),
        ("md:fence:2", "text", ("Guide", "Use"), 25, 27),
    ]


def test_symbols_inside_a_fence_have_the_documents_offsets() -> None:
    """Names inside embedded code are where the document says, and are not qualified by headings."""
    parsed = parse("a.md", MARKDOWN)
    symbols = {item.qualified_name: item for item in parsed.symbols}
    assert list(symbols) == ["Guide", "Guide.Install", "Setup", "Setup.run", "Guide.Install.Deeper", "Guide.Use"]
    run = symbols["Setup.run"]
    assert MARKDOWN.splitlines()[run.name_line - 1][run.name_column :].startswith("run(self)")
    assert (run.name_line, run.name_column, run.kind) == (11, 8, "method")


def test_a_fragment_in_a_fence_does_not_mark_the_document() -> None:
    """Only the document's own syntax, or that of its scripts, decides its status."""
    assert parse("a.md", "# T\n\n```python\n>>> def ((\n```\n").status is ParseStatus.PARSED
    assert parse("a.html", "<script>\nfunction ((\n</script>\n").status is ParseStatus.PARTIAL


def test_sections_nest_whatever_the_heading_style() -> None:
    """Underlined and hashed headings make the same outline."""
    parsed = parse("a.md", "Top\n===\n\na\n\nSub\n---\n\nb\n\n### Leaf\n\nc\n\n# Other\n\nd\n")
    assert [item.qualified_name for item in parsed.symbols] == ["Top", "Top.Sub", "Top.Sub.Leaf", "Other"]
    assert [item.end_line for item in parsed.symbols] == [14, 14, 14, 17]


VUE = """<template>
  <p>{{ x }}</p>
</template>

<script setup lang="ts">
interface Props { x: number }
export function go(p: Props): void {}
</script>

<style lang="scss">
p { a { color: red } }
</style>
"""


def test_vue_blocks_are_segments() -> None:
    """Script and style are chunks of their own language; the script's symbols are found."""
    parsed = parse("a.vue", VUE)
    blocks = [(c.segment_id, c.language, c.start_line, c.end_line) for c in parsed.chunks if c.segment_id]
    assert blocks == [("html:script:0", "typescript", 5, 8), ("html:style:0", "scss", 10, 12)]
    assert {item.qualified_name for item in parsed.symbols} == {"Props", "Props.x", "go"}


def test_an_indented_script_is_whole_lines() -> None:
    """Indentation before a tag belongs to the segment, so that its chunk begins at a line's start."""
    text = "<div>\n  <script>\n  f();\n  </script>\n</div>\n"
    parsed = parse("a.html", text)
    spans = [(c.segment_id, text[c.start_byte : c.end_byte]) for c in parsed.chunks]
    assert spans[1] == ("html:script:0", "  <script>\n  f();\n  </script>\n")


def test_inline_scripts_are_cut_out_of_their_line() -> None:
    """A script inside a line is a segment of exactly its element."""
    text = "<p>a</p><script>function f() {}</script><p>b</p><script type='application/json'>{}</script>\n"
    parsed = parse("a.html", text)
    found = [(c.segment_id, c.language, text[c.start_byte : c.end_byte]) for c in parsed.chunks]
    assert found == [
        ("", "html", "<p>a</p>"),
        ("html:script:0", "javascript", "<script>function f() {}</script>"),
        ("", "html", "<p>b</p>"),
        ("html:script:1", "json", "<script type='application/json'>{}</script>\n"),
    ]
    assert [(item.name, item.name_column) for item in parsed.symbols] == [("f", 25)]

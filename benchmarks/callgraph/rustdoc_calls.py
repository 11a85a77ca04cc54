"""Where rustc says that each call of a Rust crate leads: `path line column name -> path line [trait]`, '-' for outside.

    rustdoc +nightly -Zunstable-options --generate-link-to-definition --document-private-items --edition 2021 \
        --cfg 'feature="std"' --crate-name NAME ROOT/CRATE/src/lib.rs -o PAGES
    python benchmarks/callgraph/rustdoc_calls.py ROOT ROOT/CRATE/src PAGES/src/NAME > TRUTH

rustdoc's pages of sources link each name to what the compiler found it to be, methods with their receivers' types among
them; of a trait's method it names the trait's, whoever implements it. Told are names before parentheses that are no
patterns or types, macros before `!(`; columns are bytes from 0. A link to a page of documentation of the crate itself,
not to a line, tells nothing and is left out; so is what a condition leaves out of the compilation.
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path

from tree_sitter import Query, QueryCursor

from everdex.parse import grammar

CALLED = re.compile(r"\s*(?:::\s*<[^()]*?>\s*)?\(|!\s*[(\[{]")
LINES = re.compile(r"(.*)#(\d+)(?:-\d+)?")
TRAIT = re.compile(r".*/trait\.(\w+)\.html#(?:ty)?method\..*")
PATTERNS = """(tuple_struct_pattern type: (_) @name) (macro_definition) @made (struct_item name: (_) @struct)
(function_type trait: (_) @trait)"""


class Page(HTMLParser):
    """The text of a page of source, and its links."""

    def __init__(self) -> None:
        super().__init__()
        self.text, self.links = "", list[tuple[int, int, str]]()
        self._in_code, self._silent, self._href, self._since = False, 0, "", 0

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        if tag == "code":
            self._in_code = True
        if "data-nosnippet" in given:
            self._silent += 1
        elif tag == "a" and self._in_code:
            self._href, self._since = given.get("href") or "", len(self.text)

    def handle_endtag(self, tag: str) -> None:
        if tag == "code":
            self._in_code = False
        elif tag == "a" and self._silent:
            self._silent -= 1
        elif tag == "a" and self._href:
            self.links.append((self._since, len(self.text), self._href))
            self._href = ""

    def handle_data(self, data: str) -> None:
        if self._in_code and not self._silent:
            self.text += data


def spans(source: bytes) -> list[tuple[int, int]]:
    """Where a name before parentheses is no call: patterns, and macros' own texts."""
    tree = grammar.parse_tree("rust", source)
    assert tree is not None
    found = QueryCursor(Query(grammar.language("rust"), PATTERNS)).captures(tree.root_node)
    return [(node.start_byte, node.end_byte) for nodes in found.values() for node in nodes]


def main() -> None:
    root, sources, pages = (Path(given).resolve() for given in sys.argv[1:])
    for path in sorted(pages.rglob("*.rs.html")):
        inside = path.relative_to(pages)
        source = sources / inside.with_name(inside.name.removesuffix(".html"))
        page = Page()
        page.feed(path.read_text("utf-8"))
        written = source.read_text("utf-8")
        if page.text.strip("\n") != written.strip("\n"):
            print(f"left out: {source} is not what its page shows", file=sys.stderr)
            continue
        passed_over = spans(written.encode())
        shift = len(written) - len(written.lstrip("\n")) - (len(page.text) - len(page.text.lstrip("\n")))
        for start, end, href in page.links:
            if not CALLED.match(page.text, end):
                continue
            name = page.text[start:end].rpartition("::")[2].strip().removeprefix("r#").removesuffix("!")
            at = page.text.rfind(name, start, end) + shift
            target = "- 0"
            through = TRAIT.fullmatch(href)
            if href.startswith("http"):
                target += f" {through[1]}" if through else ""
            else:
                lines = LINES.fullmatch(href)
                if lines is None or not (not lines[1] or lines[1].endswith(".rs.html")):
                    continue
                page_of = (path.parent / lines[1]).resolve() if lines[1] else path
                if not page_of.is_relative_to(pages):
                    continue
                home = sources / page_of.relative_to(pages).with_name(page_of.name.removesuffix(".html"))
                target = f"{home.relative_to(root)} {lines[2]}"
            front = written[:at]
            offset = len(front.encode())
            if any(first <= offset < last for first, last in passed_over):
                continue
            line_start = front.rfind("\n") + 1
            place = f"{source.relative_to(root)} {front.count(chr(10)) + 1} {len(front[line_start:].encode())}"
            print(f"{place} {name} -> {target}")


if __name__ == "__main__":
    main()

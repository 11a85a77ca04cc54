"""Regex and literal search give the lines that the real rg prints for the same files."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import everdex
from everdex.errors import QueryError
from everdex.search.grep import grep
from everdex.view import SnapshotView, open_view
from support.stores import Workspace, synced, use_home

RG = shutil.which("rg")
pytestmark = pytest.mark.skipif(RG is None, reason="rg is not installed (Debian package ripgrep)")

AWKWARD: dict[str, str | bytes] = {
    "crlf.txt": b"foo\r\nbar foo\r\n\r\nend\r",
    "no_newline.txt": b"first\nfoo last",
    "bom.txt": b"\xef\xbb\xbffoo bar\nfoo\n",
    "blank.txt": b"\n\n   \nx\n\n",
    "unicode.txt": "naïve café x² foo² ½\nГоловa Straße STRASSE ǆ ΑΣΣΟΣ ας Kelvin ſet\n日本語テキスト 文字 "
    "cafe\u0301 _é_\n"
    "na\u200dme \u00a0nbsp\u2003em\u0085nel ١٢٣ ⅷ Ⓐ éfoo fooé foo-é \x01 0é0 é0é aé\x01é\n"
    "İstanbul istanbul ıstanbul ISTANBUL\n",
    "long.txt": "x" * 70_000 + " needle " + "y" * 70_000 + "\nneedle\n",
    "words.py": "parse parser parsing parsed parses stopped stopping running settings\n"
    "HTTPServer http_server getHTTPResponse snake_case_name __init__ a1b2\n" + "q" * 100 + "Token" + "\n",
    "empty.txt": b"",
    "tabs.txt": b"\tindented\twith tabs\x0b\x0c\n[brackets] (parens) {braces} a+b a*b c:\\path $dollar ^hat\n",
}

REGEXES = [
    "foo", "^foo", "foo$", "foo\\r$", "^$", "^\\s*$", "x*", "()", "|foo", "^",
    "def \\w+\\(self", "class [A-Z]\\w*\\(", "import (os|sys|re)\\b", "\\bre\\b", "\\bfoo\\b", "\\bcaf\\b", "foo\\b",
    "\\bfoo", "\\Bfoo", "foo\\B", "\\b", "\\B", "\\bé", "é\\b", "0\\b", "\\b0", "\\b\\x01", "[^0]\\b", "[0-9]\\b.",
    "\\d+", "\\d{2,3}", "\\D$", "\\w+²", "\\W\\w\\W", "\\s\\S+\\s", "[\\w.]+@",
    "[^\\W\\d_]+", "[\\W\\d]{3}", "[\\s\\S]x",
    "[^\\s\\w]{4}", "[[:upper:]]{4}", "[[:^alpha:]]{6}", "[a-z&&[^aeiou]]{6}", "[\\w--\\d]é", "[a-c~~b-d]{3}", "[]a]",
    "[^]a]", "[a-]b", "[-x]y", "[[é]]", "\\p{Greek}+", "\\pL\\pM", "\\P{L}{9}", "\\p{Lu}\\p{Ll}", "\\p{Cyrillic}",
    "\\p{script=Han}{2}", "\\p{Uppercase_Letter}{5}", "(?i)STRASSE", "(?i)straße",
    "(?i)kelvin", "(?i)SET", "(?i)σ", "(?i)istanbul",
    "(?i)[k-l]elvin", "(?i)[^k]elvin", "(?i:F)oo", "f(?i)OO", "(?x) foo \\  last", "(?s)foo.",
    "(?P<name>foo)", "(?U)fo+", "a{2}", "(ab|a)(c|bcd)?", "(?:foo|bar)+", "a**",
    "\\x66oo", "\\u{e9}", "\\u00e9", "\\t",
    "\\$dollar", "\\[", "\\{\\w+\\}", "a\\+b", "c:\\\\", "parsing|stopped", "pars\\w+",
    "\\bpars\\b", "parse$", "running",
    "Token$", "q{90}", "needle", "x needle y", "self\\.[a-z_]+\\(",
    "return\\s+(True|False)$", "->\\s*None:", "\"\"\"[A-Z]",
    "@dataclass\\(frozen=True, slots=True\\)", "^from everdex\\.(\\w+)", "日本",
    "[ぁ-ん]|[ァ-ヶ]", ".{200}", "é.é", "\\v", "\\f",
]  # fmt: skip
# rg 13 leaves out the column of some lines when a pattern is anchored to the text instead of the line.
ANCHORED = ["$", "\\Afoo", "foo\\z", "(?-m)^foo$", "\\A\\z", "\\bfoo\\z"]
LITERALS = [
    "foo", "a+b", "a*b", "c:\\path", "[brackets]", "(self", "def ", "->", "é", "foo²",
    "日本語", "$dollar", "^hat", "    ",
    "\t", "settings", "ing", "er", "s", "Token", "frozen=True", "\"\"\"", "import ",
    "naïve café", "__init__", "SELF", "σ",
]  # fmt: skip


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Workspace, SnapshotView]]:
    """Most of this package's own source, of fewer lines than are counted, and some awkward files."""
    directory = tmp_path_factory.mktemp("grep")
    with pytest.MonkeyPatch.context() as patch:
        use_home(patch, directory)
        root = directory / "tree"
        shutil.copytree(Path(everdex.__file__).parent, root, ignore=shutil.ignore_patterns("__pycache__", "graph"))
        made = synced(root, AWKWARD)
        with open_view(made.store) as view:
            yield made, view


def ripgrep(made: Workspace, view: SnapshotView, *arguments: str) -> list[tuple[str, int, int, str]]:
    """(path, line, 0-based column, text) as rg tells it, for exactly the indexed files, by path and line."""
    command = [
        str(RG), "--no-config", "--no-heading", "--with-filename", "--line-number", "--column", "--hidden",
        "--no-ignore", "--null", "--color=never", *arguments, "--", *view.paths,
    ]  # fmt: skip
    answer = subprocess.run(command, capture_output=True, check=False, cwd=made.path)
    assert answer.returncode in (0, 1), answer.stderr.decode()
    found = []
    for record in answer.stdout.split(b"\n")[:-1]:
        path, _, rest = record.partition(b"\0")
        line, column, text = rest.split(b":", 2)
        found.append((path.decode(), int(line), int(column) - 1, text.decode()))
    return sorted(found, key=lambda item: item[:2])


def ours(view: SnapshotView, pattern: str, *, literal: bool, ignore_case: bool) -> list[tuple[str, int, int, str]]:
    result = grep(view, pattern, literal=literal, ignore_case=ignore_case, keep=None, limit=1_000_000)
    assert result.total == len(result.matches)
    # Texts are bounded in all; the bytes that a match names are not.
    sources = {match.path_key: view.source(match.path_key) for match in result.matches}
    return [
        (match.path_key, match.line, match.column, sources[match.path_key][match.byte_start : match.byte_end].decode())
        for match in result.matches
    ]


@pytest.mark.parametrize("ignore_case", [False, True], ids=["as-is", "ignore-case"])
@pytest.mark.parametrize("pattern", REGEXES)
def test_a_regex_finds_the_lines_and_columns_that_rg_finds(
    indexed: tuple[Workspace, SnapshotView], pattern: str, ignore_case: bool
) -> None:
    """Every line, number, column and text is rg's."""
    made, view = indexed
    flags = ["--ignore-case"] if ignore_case else []
    expected = ripgrep(made, view, *flags, "--regexp", pattern)
    assert ours(view, pattern, literal=False, ignore_case=ignore_case) == expected


@pytest.mark.parametrize("pattern", ANCHORED)
def test_the_ends_of_the_text_are_the_ends_of_the_line(indexed: tuple[Workspace, SnapshotView], pattern: str) -> None:
    r"""`\A` and `\z` hold at every line, as in rg."""
    made, view = indexed
    command = [str(RG), "--no-config", "--no-heading", "--with-filename", "-n", "--null", "--regexp", pattern, "--"]
    answer = subprocess.run([*command, *view.paths], capture_output=True, check=False, cwd=made.path)
    expected = sorted(
        (path.decode(), int(rest.partition(b":")[0]))
        for path, _, rest in (record.partition(b"\0") for record in answer.stdout.split(b"\n")[:-1])
    )
    assert [found[:2] for found in ours(view, pattern, literal=False, ignore_case=False)] == expected


@pytest.mark.parametrize("ignore_case", [False, True], ids=["as-is", "ignore-case"])
@pytest.mark.parametrize("pattern", LITERALS)
def test_a_literal_finds_what_rg_finds_with_fixed_strings(
    indexed: tuple[Workspace, SnapshotView], pattern: str, ignore_case: bool
) -> None:
    """Nothing in a literal is an operator."""
    made, view = indexed
    flags = ["--ignore-case"] if ignore_case else []
    expected = ripgrep(made, view, "--fixed-strings", *flags, "--regexp", pattern)
    assert ours(view, pattern, literal=True, ignore_case=ignore_case) == expected


@pytest.mark.parametrize(
    "pattern",
    ["(", ")", "[", "[a", "*a", "a{2", "a{,2}", "a{3,2}", "{", "(?P<n", "(?z)a", "\\",
     "\\1", "(?=a)", "(?<!a)", "[z-a]",
     "[a-\\d]", "\\p{Nonsense}", "\\xZZ", "\\x{110000}", "\\n", "a\\x0Ab",
     "\\Q", "+", "(?-u)a{", "[[:x:]", "\\q"],
)  # fmt: skip
def test_a_regex_that_rg_refuses_is_refused(indexed: tuple[Workspace, SnapshotView], pattern: str) -> None:
    """A bad regex is a QueryError that says where and why, exactly where rg has exit code 2."""
    made, view = indexed
    command = [str(RG), "--no-config", "--regexp", pattern, "empty.txt"]
    answer = subprocess.run(command, capture_output=True, check=False, cwd=made.path)
    assert answer.returncode == 2
    with pytest.raises(QueryError, match="regex"):
        grep(view, pattern, literal=False, ignore_case=False, keep=None, limit=10)


def test_what_versions_of_rg_do_not_agree_on(indexed: tuple[Workspace, SnapshotView]) -> None:
    """A class of nothing is refused, as by rg 13; a comment may end a pattern, which rg 14 refuses."""
    _, view = indexed
    with pytest.raises(QueryError, match="regex"):
        grep(view, "[a&&b]", literal=False, ignore_case=False, keep=None, limit=10)
    plain, commented = (
        ours(view, f"(?x) foo \\  last{end}", literal=False, ignore_case=False) for end in ("", " # comment")
    )
    assert plain == commented != []

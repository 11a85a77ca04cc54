"""The documentation is true: what the code has is documented, and what the pages link to exists."""

from __future__ import annotations

import ast
import json
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import fields

from everdex import config, errors, limits, versions
from everdex.canvas.board import model
from everdex.changes.model import ReadError
from everdex.discover.model import SkipReason
from everdex.segment.files import FileLine, TombstoneLine
from everdex.segment.lexical_format import Section
from everdex.service import answers
from everdex.snapshot import lease, manifest, state, store
from everdex.surfaces.cli.app import COMMANDS, run
from everdex.surfaces.cli.board import board_command

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "everdex"
CONTRACTS = (ROOT / "docs" / "contracts.md").read_text()
# Not below benchmarks/corpora: other people's pages lie there.
FOLDERS = (
    ".", "docs", "docs/adr", "training",
    "benchmarks", "benchmarks/callgraph", "benchmarks/search", "benchmarks/symbols",
)  # fmt: skip
PAGES = sorted(path for folder in FOLDERS for path in (ROOT / folder).glob("*.md"))


Printed = Callable[..., str]


@pytest.fixture
def printed(capfdbinary: pytest.CaptureFixture[bytes]) -> Printed:
    """Runs a command line in this process; what it prints on stdout."""

    def run_here(*arguments: object) -> str:
        run([*map(str, arguments)])
        return capfdbinary.readouterr().out.decode()

    return run_here


def _section(title: str) -> str:
    """The text under one heading, up to the next of its level or above."""
    match = re.search(rf"^(#+) {re.escape(title)}\n(.*?)(?=^#{{1,2}} |\Z)", CONTRACTS, re.MULTILINE | re.DOTALL)
    assert match, f"contracts.md has no section {title!r}"
    deeper = f"^{match[1]} "
    return re.split(deeper, match[2], maxsplit=1, flags=re.MULTILINE)[0]


def _named(text: str) -> set[str]:
    """Everything a text names in code font."""
    return set(re.findall(r"`([^`]+)`", text))


def _subclasses(kind: type) -> Iterator[type[Any]]:
    for child in kind.__subclasses__():
        yield child
        yield from _subclasses(child)


def _calls(path: Path) -> Iterator[tuple[str, list[ast.expr]]]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            yield getattr(node.func, "id", getattr(node.func, "attr", "")), node.args


def _first_strings(path: Path, *functions: str) -> set[str]:
    """String literals given as first argument to these functions, also by way of a local called `code`."""
    found = {
        arguments[0].value
        for name, arguments in _calls(path)
        if name in functions and arguments and isinstance(arguments[0], ast.Constant)
    }
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            found |= {node.value.value for target in node.targets if getattr(target, "id", "") == "code"}
    return {value for value in found if isinstance(value, str)}


def test_help_in_the_docs_is_the_real_one() -> None:
    """docs/cli.md has every command with exactly what --help prints."""
    done = subprocess.run([sys.executable, ROOT / "docs" / "generate_cli.py", "--check"], check=False)
    assert done.returncode == 0, "run `python docs/generate_cli.py`"


def test_every_command_has_a_heading() -> None:
    """A reader can link to a command."""
    headings = re.findall(r"^## (\S+)$", (ROOT / "docs" / "cli.md").read_text(), re.MULTILINE)
    assert headings == list(COMMANDS)


def test_every_error_is_documented() -> None:
    """Code, exit code and hint of each error stand in one row of the table."""
    table = _section("Errors")
    for kind in _subclasses(errors.EverdexError):
        row = re.search(rf"^\| `{kind.code}` \| {kind.exit_code} \| .+ \| (.*) \|$", table, re.MULTILINE)
        assert row, f"{kind.code} with exit code {kind.exit_code} is not documented"
        assert row[1] == kind.default_hint
    documented = set(re.findall(r"^\| `(\w+)` ", table, re.MULTILINE))
    assert documented == {kind.code for kind in _subclasses(errors.EverdexError)}


def test_every_skip_reason_is_documented() -> None:
    """Each reason has a row, and no row names a reason that does not exist."""
    assert set(re.findall(r"^\| `(\w+)` ", _section("Skip reasons"), re.MULTILINE)) == {str(r) for r in SkipReason}


def test_every_degraded_code_is_documented() -> None:
    """What a manifest's errors may say."""
    rows = set(re.findall(r"^\| `(\w+)` ", _section("Degraded codes"), re.MULTILINE))
    assert rows == {kind.code for kind in _subclasses(ReadError)} | {errors.PathCollision.code}


def test_every_health_code_is_documented() -> None:
    """Each check that health can make has a row."""
    rows = set(re.findall(r"^\| `(\w+)` ", _section("Health codes"), re.MULTILINE))
    assert rows == _first_strings(SOURCE / "upkeep" / "health.py", "Check")


def test_every_audit_code_is_documented() -> None:
    """Each finding that an audit can make is named."""
    path = SOURCE / "upkeep" / "audit.py"
    codes = _first_strings(path, "differs", "Finding")
    codes |= _first_strings(SOURCE / "upkeep" / "facts.py", "differs", "Finding")
    for name in _first_strings(path, "_unique"):
        codes |= {f"{name}_empty", f"{name}_collision"}
    assert _named(_section("Audit codes")) == codes


def test_every_configuration_key_is_documented() -> None:
    """Key, default and bounds of `.everdex.toml`."""
    table = _section("Configuration")
    wanted: dict[str, Any] = {}
    for name, shape in (("index", config.IndexConfig), ("query", config.QueryConfig)):
        wanted |= {f"{name}.{item.name}": item.default for item in fields(shape)}
    rows = dict(re.findall(r"^\| `((?:index|query)\.\w+)` \| (.*)$", table, re.MULTILINE))
    assert rows.keys() == wanted.keys()
    for key, default in wanted.items():
        shown = rows[key].split(" | ")
        text = f"`{str(default).lower()}`" if isinstance(default, bool) else "`[]`" if default == () else str(default)
        assert shown[0] == (f'`"{default}"`' if isinstance(default, str) else text), key
        if key in config._BOUNDS:
            low, high = config._BOUNDS[key]
            assert shown[1] == f"{low:g} to {high:g}" if isinstance(high, float) else f"{low} to {high}", key


def test_every_environment_variable_is_documented() -> None:
    """Each EVERDEX_ variable that the code reads has a row."""
    read: set[str] = set()
    for path in SOURCE.rglob("*.py"):
        strings = (n.value for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Constant))
        read |= {value for value in strings if isinstance(value, str) and re.fullmatch(r"EVERDEX_[A-Z_]+", value)}
    assert read
    documented = set(re.findall(r"^\| `([A-Z_]+)` ", _section("Environment"), re.MULTILINE))
    assert documented == read | {"NO_COLOR", "FORCE_HYPERLINK"}


def test_every_limit_is_documented() -> None:
    """Name and value of each constant in limits.py."""
    rows = dict(re.findall(r"^\| `([A-Z_]+)` \| ([\d,.]+) \|", _section("Limits"), re.MULTILINE))
    assert rows == {name: f"{value:,}" for name, value in vars(limits).items() if name.isupper()}


def test_every_schema_range_is_documented() -> None:
    """What this build reads and writes."""
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \| (\d+) \| (\d+) \|$", _section("Schema versions"), re.MULTILINE)
    assert {name: tuple(map(int, rest)) for name, *rest in rows} == {
        name: (known.min_readable, known.max_readable, known.writable) for name, known in versions.ARTIFACTS.items()
    }


@pytest.mark.parametrize(
    ("section", "shape"),
    [
        ("store.json", store.StoreInfo),
        ("Manifest", manifest.Manifest),
        ("Manifest", manifest.SegmentRef),
        ("Manifest", manifest.TombstoneRef),
        ("Manifest", manifest.Git),
        ("Manifest", manifest.Counts),
        ("Manifest", manifest.DegradedError),
        ("Segment: files.jsonl", FileLine),
        ("tombstones.jsonl", TombstoneLine),
        ("index_state.json", state.StateFile),
        ("writer_lease.json", lease.LeaseFile),
        ("canvas/state.json", model.Board),
        ("canvas/state.json", model.Evidence),
        ("canvas/state.json", model.Note),
        ("canvas/state.json", model.Dropped),
        ("canvas/state.json", model.Stamp),
    ],
)
def test_every_field_on_disk_is_documented(section: str, shape: type[msgspec.Struct]) -> None:
    """Each field of each JSON artifact is named in its section."""
    assert set(shape.__struct_fields__) - _named(_section(section)) == set()


def test_every_column_and_section_of_a_segment_is_documented() -> None:
    """Tables and columns of rows.db, sections of lexical.bin."""
    with sqlite3.connect(":memory:") as connection:
        connection.executescript(resources.files("everdex.segment").joinpath("rows.sql").read_text())
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type='table'")]
        columns = {row[1] for table in tables for row in connection.execute(f"PRAGMA table_info({table})")}
    assert {*tables, *columns} - _named(_section("Segment: rows.db")) == set()
    assert {section.name for section in Section} - _named(_section("Segment: lexical.bin")) == set()


def test_every_file_of_a_store_is_documented(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, printed: Printed
) -> None:
    """Whatever commands leave in a store is a row of the contract's table, and the design draws where it lies."""
    repository = tmp_path / "repository"
    repository.mkdir()
    (repository / "a.py").write_text("def first():\n    return 1\n\n\ndef second():\n    return first()\n")
    monkeypatch.chdir(repository)
    printed("index")
    (repository / "b.py").write_text("from a import first\n")
    for command in ("refresh", "architecture", "contexts", "rename first third --plan", "board claim because"):
        printed(*command.split())
    (found,) = (home / "data").glob("repository-*")
    rows = re.findall(r"^\| (`.+?) \| .+ \| .+ \| .+ \|$", _section("The store"), re.MULTILINE)
    told = [re.escape(name) for row in rows for name in re.findall(r"`([^`]+)`", row)]
    patterns = [re.compile(re.sub(r"<[^>]+>", "[^/]+", name) + (".*" if name.endswith("/") else "")) for name in told]
    files = sorted(str(path.relative_to(found)) for path in found.rglob("*") if path.is_file())
    assert {name for name in files if not any(pattern.fullmatch(name) for pattern in patterns)} == set()
    drawn = (ROOT / "docs" / "design.md").read_text().partition("~/.everdex/data/")[2].partition("```")[0]
    assert {name.partition("/")[0] for name in files} - set(re.findall(r"^  ([\w.]+)", drawn, re.MULTILINE)) == set()


def test_every_log_event_is_documented() -> None:
    """What a line of the sync log can be about."""
    events = {
        arguments[1].value
        for path in SOURCE.rglob("*.py")
        for name, arguments in _calls(path)
        if name == "append" and len(arguments) == 2  # a list's append has one
        and getattr(arguments[0], "id", "") == "store" and isinstance(arguments[1], ast.Constant)
    }
    assert events
    assert events - _named(_section("Logs and caches")) == set()


def test_every_field_of_the_envelope_is_documented() -> None:
    """The fields around every answer."""
    origin = answers.Origin("s", "c", None, True)
    document = answers.Answer(origin, "q", answers.UNCHECKED, {}).to_dict()
    assert set(document) - _named(_section("Answers")) == set()


def _keys(value: object) -> Iterator[str]:
    """Names of fields; keys of maps by reason, by phase or by limit are values, not fields."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            if key not in ("skipped", "skipped_by_reason", "timings_ms", "details", "limits"):
                yield from _keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _keys(inner)


def test_every_field_of_every_answer_is_documented(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, printed: Printed
) -> None:
    """Run the commands; whatever they print is on the page."""
    repository = tmp_path / "repository"
    repository.mkdir()
    (repository / "a.py").write_text("def first_function():\n    return 1\n\n\ndef twice():\n    return 2\n")
    (repository / "c.py").write_text(
        "import json\n\nfrom a import first_function\n\n\n"
        "def second(given):\n    json.dumps(first_function())\n    given.unknown()\n\n\ndef twice():\n    return 2\n"
    )
    (repository / "test_c.py").write_text("from c import second\n\n\ndef test_second():\n    second(1)\n")
    (repository / "pyproject.toml").write_text('[project]\nname = "small"\n')
    (repository / "b.bin").write_bytes(b"\0")
    named = _named(CONTRACTS)
    commands: list[list[object]] = [
        ["index", "--dry-run"],
        ["index"],
        ["search", "--explain", "first_function"],
        ["search", "--budget", "500", "first_function"],
        ["search", "--mode", "regex", "first"],
        ["search", "zzz first_functoin"],
        ["symbols", "first_function"],
        ["symbols", "first_functoin"],
        ["symbols", "a.py"],
        ["files", "--skipped"],
        ["explain", "a.py"],
        ["chunks", "--meta"],
        ["refs", "first_function"],
        ["refs", "last_functoin"],
        ["callers", "first_function"],
        ["callers", "twice"],
        ["callees", "second"],
        ["impact", "first_function", "--picture", tmp_path / "impact.svg"],
        ["symbols", "first_function", "--refs", "5"],
        ["map"],
        ["architecture", "-o", tmp_path / "architecture.svg"],
        ["explore", "-o", tmp_path / "page.html"],
        ["gate", "a.py"],
        ["state", "a.py"],
        ["rename", "first_function", "renamed", "--plan"],
        ["refresh"],
        ["jobs"],
        ["contexts"],
        ["graph", "export", "-o", tmp_path / "graph.json"],
        ["status"],
        ["health"],
        ["audit"],
        ["repair", "--dry-run"],
        ["gc"],
        ["gc", "--stores", "--unused-days", "0", "--force"],
        ["compact"],
        ["stores"],
        ["upgrade-store"],
        ["doctor"],
        ["board", "add-evidence", "a.py:1", "first_function", "search:first", "run:true"],
        ["board", "claim", "a claim", "--evidence", "E1"],
        ["board", "drop", "E1"],
        ["board", "--all"],
        ["board", "reset"],
    ]
    commands.append(["status", "--snapshot", "nothing"])
    monkeypatch.chdir(repository)
    for command in commands:
        assert set(_keys(json.loads(printed(*command, "--json")))) - named == set(), command


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_relative_links_resolve(page: Path) -> None:
    """Every link to a file leads to one, and every anchor to a heading."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    targets = re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'(?:src|href)="([^"]+)"', text)
    for target in targets:
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        place = (page.parent / name).resolve() if name else page
        assert place.exists(), f"{page.name}: {target}"
        if anchor and place.suffix == ".md":
            assert anchor in _anchors(place), f"{page.name}: {target}"


def _anchors(page: Path) -> set[str]:
    """Anchors as GitHub makes them: lower case, punctuation dropped, spaces to hyphens."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_no_page_names_a_command_or_option_that_does_not_exist(printed: Printed) -> None:
    """Examples can be typed: each `everdex COMMAND --option` in the pages is real."""
    known = {name: printed(name, "--help") for name in COMMANDS}
    known["board"] += "".join(printed("board", part, "--help") for part in board_command.commands)
    for page in PAGES:
        for line in re.findall(r"^\$ everdex (.+)$", page.read_text(), re.MULTILINE):
            name, *rest = line.split("|")[0].split()
            assert name in known, f"{page.name}: everdex {name}"
            for option in (word for word in rest if re.fullmatch(r"--?[a-z][a-z-]*", word)):
                assert re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", known[name]), f"{page.name}: {line}"


def test_the_first_answer_that_a_newcomer_sees_is_not_the_question() -> None:
    """`make demo` asks about this repository: what says it word for word would be the best answer."""
    command = subprocess.run(["make", "-n", "demo"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    question = re.search(r'everdex search "([^"]+)"', command)
    assert question is not None
    writing = ["git", "grep", "-l", "-i", "-F", "-e", question[1]]
    assert subprocess.run(writing, cwd=ROOT, capture_output=True, text=True).stdout == ""

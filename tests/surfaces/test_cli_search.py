"""`everdex search`: what comes out is true, safe to print, and says where it is from."""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
from pathlib import Path

import pytest

from everdex.surfaces.cli.links import Links
from support.commands import COMMAND, everdex, on_terminal
from support.processes import PATIENCE_S
from support.trees import tree

FILES = {
    "src/session.py": (
        "import hmac\n\n\nclass Session:\n    def sign_cookie(self, value):\n"
        "        return hmac.new(self.key, value)\n\n    def open(self):\n        return self.load()\n"
    ),
    "src/routes.go": "package main\n\nfunc ServeRoutes() int {\n\treturn 42\n}\n",
    "README.md": "# Project\n\nHow a cookie is signed.\n",
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return tree(tmp_path / "project", FILES, git=True)


def _line(root: Path, path: str, number: int) -> str:
    return (root / path).read_bytes().decode().split("\n")[number - 1]


def test_a_first_search_in_an_unknown_repository_just_works(repository: Path) -> None:
    """No index yet: it is made, and every line of the answer is path:line:text of a real line."""
    done = everdex("search", "sign cookie", cwd=repository)
    assert done.code == 0
    assert done.lines
    for line in done.lines:
        path, number, text = line.split(":", 2)
        assert _line(repository, path, int(number)) == text


@pytest.mark.parametrize("command", [("search", "x"), ("callers", "x"), ("symbols", "x"), ("map",), ("index",)])
def test_where_no_file_is_indexed_every_answer_says_so(command: tuple[str, ...], tmp_path: Path) -> None:
    """Whoever asks in the wrong directory is not left to believe that there is no such thing."""
    empty, strange = tree(tmp_path / "empty", {}), tree(tmp_path / "strange", {"a.bin": "\0"})
    ignored = tree(tmp_path / "ignored", {"a.py": "x = 1\n", ".gitignore": "/*\n"})
    for root in (empty, ignored):
        expected = f"warning: there is nothing to index in {root}; `everdex files --skipped` lists what is ignored\n"
        assert expected in everdex(*command, cwd=root).err
    assert (
        f"warning: no file of {strange} is indexed; `everdex files --skipped` says why\n"
        in everdex(*command, cwd=strange).err
    )


def test_a_definition_is_shown_by_the_line_that_names_it(repository: Path) -> None:
    """The line in a pipe is the one that tells: where the symbol is defined."""
    assert "src/routes.go:3:func ServeRoutes() int {" in everdex("search", "ServeRoutes", cwd=repository).lines


def test_a_result_is_exactly_its_lines_and_bytes(repository: Path) -> None:
    """The snippet is the file's bytes between byte_start and byte_end, and those are its lines."""
    document = everdex("search", "session cookie", "--json", cwd=repository).json
    assert document["results"]
    for result in document["results"]:
        data = (repository / result["path"]).read_bytes()
        assert data[result["byte_start"] : result["byte_end"]].decode() == result["snippet"]
        assert data.count(b"\n", 0, result["byte_start"]) + 1 == result["start_line"]
        assert data.count(b"\n", 0, result["byte_end"] - 1) + 1 == result["end_line"]
        assert result["chunkUid"].startswith("cu:v1:xxh64:")


def test_nothing_found_is_exit_code_1(repository: Path) -> None:
    """Scripts can tell nothing found from an error."""
    done = everdex("search", "--mode", "lexical", "zebrafish", cwd=repository)
    assert (done.code, done.out, done.err) == (1, "", "nothing found\n")
    assert everdex("search", "--mode", "literal", "zebrafish", "--json", cwd=repository).code == 1


def test_a_changed_file_is_found_and_its_old_text_is_not(repository: Path) -> None:
    """A search brings the index up to date first; --no-sync answers as it was and says `unchecked`."""
    everdex("index", cwd=repository)
    (repository / "src/session.py").write_text("def replacement_text():\n    pass\n")
    stale = everdex("search", "--mode", "literal", "replacement_text", "--no-sync", "--json", cwd=repository)
    assert (stale.code, stale.json["freshness"]["state"]) == (1, "unchecked")
    fresh = everdex("search", "--mode", "literal", "replacement_text", cwd=repository)
    assert fresh.lines == ["src/session.py:1:def replacement_text():"]
    assert everdex("search", "--mode", "literal", "sign_cookie", cwd=repository).code == 1


def test_a_retained_snapshot_answers_as_it_was(repository: Path) -> None:
    """`--snapshot` reads the old content and nothing else; an unknown id is refused by name."""
    old = everdex("index", "--json", cwd=repository).json["snapshot_id"]
    (repository / "src/session.py").unlink()
    everdex("index", cwd=repository)
    arguments = ("search", "--mode", "literal", "sign_cookie", "--json")
    document = everdex(*arguments, "--snapshot", old, cwd=repository).json
    assert [result["path"] for result in document["results"]] == ["src/session.py"]
    assert (document["snapshot_id"], document["freshness"]["state"]) == (old, "pinned")
    assert everdex(*arguments, cwd=repository).code == 1
    unknown = everdex(*arguments, "--snapshot", "0" * 26, cwd=repository)
    assert (unknown.code, unknown.json["error"]["code"]) == (2, "snapshot_unknown")


def test_no_sync_on_an_unknown_repository_is_refused(repository: Path, home: Path) -> None:
    """Nothing is indexed behind the back of whoever said not to."""
    done = everdex("search", "cookie", "--no-sync", "--json", cwd=repository)
    assert (done.code, done.json["error"]["code"]) == (2, "not_indexed")
    assert not home.exists()


def test_filters_by_language_and_path(repository: Path) -> None:
    """--lang and --path keep only what they name; an unknown language is refused."""
    by_language = everdex("search", "cookie", "--lang", "markdown", "--json", cwd=repository).json
    assert {result["path"] for result in by_language["results"]} == {"README.md"}
    by_path = everdex("search", "cookie", "--path", "src/*", "--json", cwd=repository).json
    assert {result["path"].split("/")[0] for result in by_path["results"]} == {"src"}
    unknown = everdex("search", "cookie", "--lang", "klingon", cwd=repository)
    assert unknown.code == 2
    assert "'klingon'" in unknown.err


def test_regex_and_literal_print_matching_lines(repository: Path) -> None:
    """Every matching line as path:line:text, tabs kept, in path order."""
    found = everdex("search", "--mode", "regex", r"return \w+", cwd=repository)
    assert found.lines == [
        "src/routes.go:4:\treturn 42",
        "src/session.py:6:        return hmac.new(self.key, value)",
        "src/session.py:9:        return self.load()",
    ]
    literal = everdex("search", "--mode", "literal", "SERVEROUTES(", "-i", cwd=repository)
    assert literal.lines == ["src/routes.go:3:func ServeRoutes() int {"]
    assert everdex("search", "--mode", "regex", "(unclosed", cwd=repository).code == 2


def test_truncation_is_never_silent(repository: Path) -> None:
    """What -k leaves out is counted, and the cursor leads to it."""
    every = everdex("search", "--mode", "regex", "e", "--json", cwd=repository).json
    first = everdex("search", "--mode", "regex", "e", "-k", "2", "--json", cwd=repository).json
    assert first["omitted"] == len(every["results"]) - 2
    cursor = first["cursor"]
    assert cursor["snapshot_id"] == first["snapshot_id"]
    rest = everdex(
        "search", "--mode", "regex", "e", "--json", "--snapshot", cursor["snapshot_id"], "--offset", cursor["offset"],
        cwd=repository,
    ).json  # fmt: skip
    assert first["results"] + rest["results"] == every["results"]
    assert "more not shown" in everdex("search", "--mode", "regex", "e", "-k", "2", cwd=repository).err


def test_under_a_budget_every_result_says_which_lines_it_is(tmp_path: Path) -> None:
    """Headings name the lines that are shown and, where that is a part, those of the whole."""
    body = "".join(f"    total += posting({number})\n" for number in range(80))
    root = tree(tmp_path / "shop", {"ledger.py": f"def post_ledger(total):\n{body}", "short.py": "posting = print\n"})
    found = everdex("search", "--budget", "300", "ledger posting", root).out.splitlines()
    headings = [line for line in found if line.startswith("## ")]
    shown = re.fullmatch(r"## ledger\.py:(\d+)-(\d+) of (\d+)-(\d+)  post_ledger", headings[0])
    assert shown is not None
    first, last, start, end = map(int, shown.groups())
    assert (start, last - first < 40) == (1, True)
    assert found[found.index(headings[0]) + 1] == f"def post_ledger(total):\n{body}".splitlines()[first - 1]
    assert "## short.py:1-1  posting" in headings
    assert end <= 81


def test_explain_shares_add_up_to_the_score(repository: Path) -> None:
    """--explain names the features of a score and hides none."""
    document = everdex("search", "sign cookie", "--explain", "--json", cwd=repository).json
    assert document["results"]
    for result in document["results"]:
        assert sum(share["value"] for share in result["explain"]) == pytest.approx(result["score"], abs=1e-6)


def test_batch_answers_every_line_from_one_snapshot(repository: Path) -> None:
    """One document a line, in order; a bad line gets its error and the rest goes on."""
    queries = b'sign cookie\n\n"unbalanced\n\xff\xfe\nServeRoutes\n'
    done = everdex("search", "--batch", "-", cwd=repository, stdin=queries)
    documents = [json.loads(line) for line in done.lines]
    assert len(documents) == 5
    assert [document.get("error", {}).get("code") for document in documents] == [
        None, "query_invalid", "query_invalid", "query_invalid", None,
    ]  # fmt: skip
    assert documents[4]["query"] == "ServeRoutes"
    assert documents[0]["snapshot_id"] == documents[4]["snapshot_id"]
    assert documents[0]["request_id"] != documents[4]["request_id"]
    assert done.code == 2


def test_batch_reads_a_file_and_takes_the_root_as_its_only_positional(repository: Path, tmp_path: Path) -> None:
    """`search --batch FILE PATH`: found is 0, nothing is 1, a missing file or a second positional is 2."""
    questions = tmp_path / "questions.txt"
    questions.write_text("ServeRoutes\nzebrafish\n")
    done = everdex("search", "--batch", questions, repository, "--mode", "lexical")
    assert (done.code, [len(json.loads(line)["results"]) > 0 for line in done.lines]) == (0, [True, False])
    questions.write_text("zebrafish\n")
    assert everdex("search", "--batch", questions, repository, "--mode", "lexical").code == 1
    assert everdex("search", "--batch", tmp_path / "none", repository).code == 2
    assert everdex("search", "--batch", questions, "query", repository).code == 2


def test_batch_hands_each_answer_on_at_once(repository: Path) -> None:
    """A program that asks line by line gets each answer before it asks again."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    process = subprocess.Popen(
        [*COMMAND, "search", "--batch", "-"], cwd=repository, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=environment,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    watchdog = threading.Timer(PATIENCE_S, process.kill)  # an answer that is held back must fail the test, not hang it
    watchdog.start()
    for query in ("ServeRoutes", "cookie"):
        process.stdin.write(query + "\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["query"] == query
    process.stdin.close()
    assert process.wait(timeout=PATIENCE_S) == 0
    process.stdout.close()
    watchdog.cancel()


HOSTILE = "x = 1  # \x1b]0;owned\x07\x1b[2J\x9b31m\u202egnp.exe\x7f\u061c\u2062\U000e0048\U000e0069 end\n"


def test_hostile_content_cannot_drive_the_terminal(tmp_path: Path) -> None:
    """Escape sequences, bidirectional marks and text nobody sees go out escaped: in a pipe, on a terminal, in JSON."""
    root = tree(tmp_path / "evil", {"evil\u009b31m.py": HOSTILE, "bidi\u202eyp.py": HOSTILE})
    piped = everdex("search", "--mode", "literal", "x = 1", root)
    assert piped.code == 0
    assert r"\x1b]0;owned\x07\x1b[2J\x9b31m\u202egnp.exe\x7f\u061c\u2062\U000e0048\U000e0069 end" in piped.out
    assert re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u202e\u2062\U000e0000-\U000e007f]", piped.out) is None
    as_json = everdex("search", "--mode", "literal", "x = 1", root, "--json")
    assert re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u202e\u2062\U000e0000-\U000e007f]", as_json.out) is None
    assert as_json.json["results"][0]["snippet"].rstrip("\n") == HOSTILE.rstrip("\n")
    drawn = on_terminal("search", "--mode", "literal", "x = 1", root).out
    assert re.search("\x1b]|\x1b\\[2J|\x07|\x9b|\u202e|\x7f|\u061c|\u2062|\U000e0048", drawn) is None


def test_the_line_of_a_result_is_that_of_the_definition_that_was_asked_for(tmp_path: Path) -> None:
    """Also where the chunk is named after a neighbour, or calls it before it is defined."""
    text = "def greet():\n    return hello()\n\n\ndef hello():\n    return 1\n\n\nPAGE_PERMISSIONS = [1]\n"
    root = tree(tmp_path / "tree", {"a.py": text})
    assert everdex("search", "hello", root).lines == ["a.py:5:def hello():"]
    assert everdex("search", "page permissions", root).lines == ["a.py:9:PAGE_PERMISSIONS = [1]"]
    assert everdex("search", "greet", root).lines == ["a.py:1:def greet():"]
    assert everdex("search", "hello", "--vimgrep", root).lines[0].startswith("a.py:5:")
    assert everdex("search", "hello", "--json", root).json["results"][0]["named_line"] == 5
    assert everdex("search", "greet", "--json", root).json["results"][0]["named_line"] is None
    drawn = on_terminal("search", "hello", root, env={"NO_COLOR": "1"}).out
    assert "     5  def hello():" in drawn


def test_a_closed_pipe_is_quiet(repository: Path) -> None:
    """`everdex search … | head -1` ends without a word of complaint."""
    everdex("index", cwd=repository)
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [*COMMAND, "search", "--mode", "regex", "e"], cwd=repository, stdout=write, stderr=subprocess.PIPE, check=False
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_closed_pipe_is_quiet_for_remarks_too(repository: Path) -> None:
    """`everdex … 2>&1 | head -1`: both streams end in the same pipe, which nobody reads any more."""
    everdex("index", cwd=repository)
    read, write = os.pipe()
    os.close(read)
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    for command in (["map"], ["symbols", "no_such_name"], ["no-such-command"]):
        done = subprocess.run(
            [*COMMAND, *command], cwd=repository, stdout=write, stderr=write, check=False, env=buffered
        )
        assert done.returncode in (0, 1, 2)
    os.close(write)


def test_a_terminal_gets_groups_and_colours(repository: Path) -> None:
    """Grouped by file with breadcrumb, numbered lines, marked words and a footer that names the snapshot."""
    drawn = on_terminal("search", "sign_cookie", cwd=repository).out
    plain = re.sub(r"\x1b\[[\d;]*m", "", drawn).splitlines()
    assert plain.count("src/session.py") == 1
    assert any(re.match(r"  Session +class 1-9 ", line) for line in plain)
    assert "     5      def sign_cookie(self, value):" in plain
    assert re.search(r"\x1b\[31m\x1b\[1msign_cookie\x1b", drawn)
    assert re.search(r"shown.* · snapshot \w{26} · fresh · ", plain[-1])


def test_colour_obeys_no_color_and_the_option(repository: Path) -> None:
    """NO_COLOR and --color never draw without colours; --color always draws with them into a pipe."""
    for done in (
        on_terminal("search", "cookie", cwd=repository, env={"NO_COLOR": "1"}),
        on_terminal("search", "cookie", "--color", "never", cwd=repository),
    ):
        assert "\x1b[" not in done.out
        assert "src/session.py" in done.out.splitlines()
    assert "\x1b[" in everdex("search", "cookie", "--color", "always", cwd=repository).out
    assert "\x1b[" not in everdex("search", "cookie", cwd=repository).out


def test_links_where_the_terminal_has_them(repository: Path) -> None:
    """File and line as OSC 8 links, with or without colours; never unasked, in a dumb terminal or in a pipe."""
    link = re.compile(r"\x1b]8;;file://[^/]+(/[^\x1b#]+)(?:#(\d+))?\x1b\\(.*?)\x1b]8;;\x1b\\")
    for env in ({"TERM_PROGRAM": "WezTerm"}, {"VTE_VERSION": "7600", "NO_COLOR": "1"}, {"FORCE_HYPERLINK": "1"}):
        found = link.findall(on_terminal("search", "sign_cookie", cwd=repository, env=env).out)
        assert (str(repository / "src/session.py"), "", "src/session.py") in [
            (path, line, re.sub(r"\x1b\[[\d;]*m", "", text)) for path, line, text in found
        ]
        assert any(line == "1" for _, line, _ in found)
    for env in ({}, {"TERM_PROGRAM": "WezTerm", "FORCE_HYPERLINK": "0"}, {"TERM_PROGRAM": "WezTerm", "TERM": "dumb"}):
        assert "\x1b]8" not in on_terminal("search", "sign_cookie", cwd=repository, env=env).out
    assert "\x1b]8" not in everdex("search", "sign_cookie", cwd=repository, env={"FORCE_HYPERLINK": "1"}).out


def test_a_file_name_cannot_end_its_link(tmp_path: Path) -> None:
    """The address is encoded, so that nothing in a name reaches the terminal."""
    root = tree(tmp_path / "evil", {"a b#%\u202e.py": "needle = 1\n"})
    drawn = on_terminal("search", "--mode", "literal", "needle", root, env={"FORCE_HYPERLINK": "1"}).out
    assert "/a%20b%23%25%E2%80%AE.py\x1b\\" in drawn
    assert "\u202e" not in drawn
    begun = Links(tmp_path).begin("x\x1b\\\x07\u009c\udcff\n.py", 7)
    assert begun.endswith("/x%1B%5C%07%C2%9C%FF%0A.py#7\x1b\\")


def test_offline_says_what_it_cannot_promise(repository: Path) -> None:
    """STORE's warning about paused readers comes with every offline answer, and only with those."""
    everdex("index", cwd=repository)
    for command in (("search", "cookie"), ("status",), ("files",), ("explain", "README.md"), ("chunks",)):
        assert "readers.lock" in everdex(*command, "--offline", cwd=repository).err
        assert "readers.lock" not in everdex(*command, cwd=repository).err


@pytest.mark.parametrize("query", ["", "   ", '"open', "x" * 20_000, "\ud800"])
def test_a_bad_query_is_a_clear_error(repository: Path, query: str) -> None:
    """Empty, unbalanced, oversized or not text: exit code 2."""
    arguments = ["search", query, "--json"]
    done = subprocess.run(
        [*COMMAND, *(os.fsencode(a) if "\ud800" not in a else b"\xed\xa0\x80" for a in arguments)],
        cwd=repository, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["code"] == "query_invalid"
    assert done.stderr == b""


def test_the_default_embedder_answers_a_question_in_words(repository: Path) -> None:
    """With the real model and no configuration, a question finds the code that answers it."""
    done = everdex("search", "how is a cookie signed", "-k", "3", cwd=repository, env={"EVERDEX_EMBEDDER": ""})
    assert done.code == 0
    assert any(line.startswith("src/session.py:") for line in done.lines)


def test_vimgrep_gives_an_editor_places(tmp_path: Path) -> None:
    """path:line:column:text, the column 1-based and in bytes; lines of a pattern and ranked results alike."""
    root = tree(tmp_path / "p", {"a.py": "\nclass Basket:\n    ü = 1; needle = 2\n"})
    lines = everdex("search", "--vimgrep", "--mode", "literal", "needle", root).lines
    assert lines == ["a.py:3:13:    ü = 1; needle = 2"]
    assert everdex("search", "--vimgrep", "Basket", root, "-k", "1").lines == ["a.py:2:1:class Basket:"]
    assert everdex("search", "--vimgrep", "--budget", "500", "Basket", root).code == 2

"""What somebody who does not know the tree asks: pasted messages, misspelt words, and places inside long files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from everdex.search.model import SearchRequest
from everdex.service.index import Index, Reading
from support.stores import synced

_NOISE = {
    f"noise_{number}.py": f"def expected_{number}(got, limit):\n    '''Expected and got.'''\n    return got\n"
    for number in range(6)
}


def _answer(tmp_path: Path, files: Mapping[str, str], query: str) -> dict[str, Any]:
    made = synced(tmp_path / "tree", files)
    return Index.open(made.path).search(SearchRequest(query), Reading(sync=False), explain=True).to_dict()


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ('fail("expected %d arguments, got %d", wanted, found);', "expected 3 arguments, got 5"),
        ("raise E(f'limit of {self.limit} calls is exhausted')", "limit of 60 calls is exhausted"),
        ("throw E('Bound statement not found: ' + name + method);", "Bound statement not found: com.a.B.all"),
        ('bail!("{} unsaved buffer{} remaining: {:?}", n, s, l);', '3 unsaved buffers remaining: ["a"]'),
        ('wrap(err, "get repository users", id)', "get repository users: connection refused"),
        ('error("value " + a + " of field " + b + " must be unique");', 'value "a" of field "b" must be unique'),
    ],
)  # fmt: skip
def test_a_message_with_values_is_found_where_it_is_made(tmp_path: Path, source: str, message: str) -> None:
    """Where the code has a placeholder or joins strings the message has a value, quoted or not; the rest finds it."""
    files = {**_NOISE, "zz.py": f"def report(wanted, found):\n    check()\n    {source}\n"}
    best = _answer(tmp_path, files, message)["results"][0]
    assert best["path"] == "zz.py"
    assert "verbatim" in {share["feature"] for share in best["explain"]}
    assert best["named_line"] == 3


def test_the_values_of_a_message_do_not_choose_where_it_is_looked_for(tmp_path: Path) -> None:
    """More documents than are looked at have all words of the value, and those of the message are common."""
    files = {
        **{f"handlers_{number}.py": "def serve(http):\n    return http.handlers.file\n" for number in range(70)},
        **{f"module_{number}.py": "def module(x):\n    return registered(x)\n" for number in range(60)},
        **{f"nothing_{number}.py": "def check(x):\n    return not x\n" for number in range(60)},
        "zz.py": "def get(known, name):\n    raise KeyError(f'module not registered: {name}')\n",
    }
    best = _answer(tmp_path, files, "module not registered: http.handlers.file")["results"][0]
    assert (best["path"], best["named_line"]) == ("zz.py", 2)


def test_a_test_that_repeats_a_message_comes_after_what_makes_it(tmp_path: Path) -> None:
    """The test has the message word for word, with its value; the code has a placeholder."""
    files = {
        "src/limits.js": "const tooMany = (wait) => {\n  return `Too many requests, retry after ${wait}.`;\n};\n",
        "src/limits.test.js": "test('x', () => {\n  is('Too many requests, retry after 30s.');\n});\n",
    }
    results = _answer(tmp_path, files, "Too many requests, retry after 30s.")["results"]
    assert [result["path"] for result in results][:2] == ["src/limits.js", "src/limits.test.js"]


def test_a_phrase_stays_a_filter_where_no_message_is_made_of_the_other_words(tmp_path: Path) -> None:
    """Quotes ask for the words inside of them, unless a message of the tree has a place for them."""
    files = {"a.py": "def session():\n    return 'cookie jar'\n", "b.py": "def session():\n    return 'cookies'\n"}
    assert [found["path"] for found in _answer(tmp_path, files, 'session value of "cookie jar"')["results"]] == ["a.py"]


@pytest.mark.parametrize("query", ["keyframe manger", "keyfrane manager", "the keyframe manger"])
def test_a_misspelt_word_that_stands_nowhere_is_the_nearest_one_of_a_name(tmp_path: Path, query: str) -> None:
    """In a question of several words too, not only in a lone name."""
    files = {
        "a_keyframe.py": "class KeyframeData:\n    keyframe = 1\n\n    def keyframe_of(self):\n        return 2\n",
        "b_manager.py": "class DeviceManager:\n    def manager(self):\n        return 2\n",
        "z.py": "class KeyframeManager:\n    def extract(self):\n        return 1\n",
    }
    answer = _answer(tmp_path, files, query)
    assert answer["results"][0]["path"] == "z.py"
    assert answer["suggestions"] == [query.replace("keyfrane", "keyframe").replace("manger", "manager")]  # it says so


def test_a_word_that_stands_in_the_tree_is_not_respelled(tmp_path: Path) -> None:
    """`manger` is a word where somebody uses it."""
    files = {"a.py": "def manager():\n    return 1\n", "b.py": "def feed():\n    return 'the manger of the stable'\n"}
    answer = _answer(tmp_path, files, "filling the manger")
    assert answer["results"][0]["path"] == "b.py"
    assert answer["suggestions"] == []


@pytest.mark.parametrize(
    ("asked", "name"), [("rolled back", "rollback"), ("timing out", "timeout"), ("setting up", "setup")]
)
def test_a_verb_and_its_particle_are_one_word_where_code_writes_them_so(tmp_path: Path, asked: str, name: str) -> None:
    """`how are transactions rolled back` means `rollback`."""
    files = {
        "a.py": "def transactions(back, out):\n    '''Transactions, rolled, timing, log.'''\n    return back\n",
        "z.py": f"def {name}(connection):\n    connection.end()\n",
    }
    assert _answer(tmp_path, files, f"how is it {asked}")["results"][0]["path"] == "z.py"


def test_a_long_name_may_have_three_letters_wrong(tmp_path: Path) -> None:
    """Of eighteen letters three are few."""
    files = {"a.py": "class AutoloadGenerator:\n    pass\n", "b.py": "class Loader:\n    pass\n"}
    answer = _answer(tmp_path, files, "AutoLoaderGenrator")
    assert "AutoloadGenerator" in answer["suggestions"]


def test_migrations_come_after_what_they_made(tmp_path: Path) -> None:
    """A step of history says how something was once; all else equal the code says how it is."""
    text = "def story_hotness(story):\n    return story.hotness\n"
    files = {
        "db/migrations/20120703184957_story_hotness.py": text,
        "models/hotness.py": text,
        "db/migrate/base.py": "x = 1\n",
    }
    assert _answer(tmp_path, files, "story hotness")["results"][0]["path"] == "models/hotness.py"


def test_of_a_file_the_chunk_that_itself_says_what_is_asked_stands_first(tmp_path: Path) -> None:
    """Files keep their places, a function comes before a list of values; the shares still add up to the score."""
    listed = "".join(f"COOKIE_LIFETIME_{number} = 'cookie lifetime'\n" for number in range(40))
    function = "def renew(cookie, lifetime):\n" + "    cookie.end += lifetime\n" * 12
    results = _answer(tmp_path, {"a.py": f"{listed}\n\n{function}"}, "cookie lifetime renewal")["results"]
    assert results[0]["start_line"] > 40
    assert any(share["feature"] == "in_file" for result in results for share in result["explain"])
    for result in results:
        assert sum(share["value"] for share in result["explain"]) == pytest.approx(result["score"])


def test_what_does_something_stands_before_what_declares_it(tmp_path: Path) -> None:
    """Who asks how something is done wants to see it done; both say the same of it."""
    body = "        self.apply(change)\n" * 12
    files = {
        "a_port.py": "class Port:\n    def reload_pipeline(self, change): ...\n",
        "z_engine.py": f"class Engine:\n    def reload_pipeline(self, change):\n{body}",
    }
    results = _answer(tmp_path, files, "how is a pipeline reloaded after a change")["results"]
    assert [result["path"] for result in results] == ["z_engine.py", "a_port.py"]
    assert any(share["feature"] == "code" for result in results for share in result["explain"])

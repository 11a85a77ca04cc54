"""A block between markers: put in, renewed, shared and taken out without a trace."""

from __future__ import annotations

import pytest

from everdex.surfaces.install import fence

BODY = "first line\nsecond line\n"
TEXTS = ["", "\n", "one\n", "one", "one\n\n", "one\r\ntwo\r\n", "one\r\ntwo", "# everdex is fine\n", "\n\n\n"]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("marks", [fence.MARKDOWN, fence.HASH], ids=["markdown", "hash"])
def test_a_block_goes_in_and_out(text: str, marks: fence.Marks) -> None:
    """At the end of any text, with its line ends; a second time changes nothing; out again to the byte."""
    put = fence.put(text, BODY, "codex", marks)
    assert put.startswith(text)
    assert "second line" in put
    assert ("\r\n" in put) == ("\r\n" in text)
    assert "\n" not in put.replace("\r\n", "") or "\r\n" not in text
    assert fence.put(put, BODY, "codex", marks) == put
    assert fence.drop(put, BODY, "codex", marks) == text


@pytest.mark.parametrize("text", ["one", "one\n"])
def test_an_empty_line_stands_before_the_block(text: str) -> None:
    """One, whether or not the text ended its last line."""
    assert fence.put(text, BODY, "codex", fence.MARKDOWN).startswith("one\n\n<!-- everdex begin: codex")
    assert fence.without(fence.put(text, BODY, "codex", fence.MARKDOWN), fence.MARKDOWN) == "one\n\n"


@pytest.mark.parametrize("text", ["#!/bin/sh\n", "#!/bin/sh", "#!/bin/sh\nexit 0\n", "#!/bin/bash\r\nx\r\n", "x\n", "",
                                  "#!/bin/sh\nexit 0"])
def test_a_block_behind_the_first_line(text: str) -> None:
    """In a script it runs whatever the rest does, an early exit too."""
    put = fence.put(text, BODY, "git-hooks", fence.HASH, at_top=True)
    assert put.splitlines()[0] == (text.splitlines()[0] if text.startswith("#!") else "# everdex begin: git-hooks")
    assert fence.put(put, BODY, "git-hooks", fence.HASH, at_top=True) == put
    assert fence.drop(put, BODY, "git-hooks", fence.HASH, at_top=True) == text


@pytest.mark.parametrize("at_top", [False, True])
def test_a_file_made_for_the_block_goes_with_it(at_top: bool) -> None:
    """Unless somebody has written into it since."""
    made = fence.put(None, BODY, "codex", fence.HASH, at_top=at_top)
    assert fence.drop(made, BODY, "codex", fence.HASH, at_top=at_top) is None
    left = fence.drop(made + "mine\n", BODY, "codex", fence.HASH, at_top=at_top)
    assert left == ("#!/bin/sh\nmine\n" if at_top else "mine\n")


def test_one_block_for_several_agents() -> None:
    """The last to leave takes it along, in whatever order they came."""
    both = fence.put(fence.put("text\n", BODY, "codex", fence.MARKDOWN), BODY, "cursor", fence.MARKDOWN)
    assert "everdex begin: codex, cursor" in both
    assert both.count("first line") == 1
    one = fence.drop(both, BODY, "codex", fence.MARKDOWN)
    assert one is not None
    assert "everdex begin: cursor" in one
    assert fence.drop(one, BODY, "codex", fence.MARKDOWN) == one
    assert fence.drop(one, BODY, "cursor", fence.MARKDOWN) == "text\n"


def test_text_around_the_block_stays() -> None:
    """What was written before and behind it since is kept; what was written inside is ours."""
    put = fence.put("one", BODY, "codex", fence.MARKDOWN)
    edited = "zero\n" + put.replace("first line", "FIRST") + "behind\n"
    assert fence.put(edited, BODY, "codex", fence.MARKDOWN) == "zero\n" + put + "behind\n"
    assert fence.drop(edited, BODY, "codex", fence.MARKDOWN) == "zero\none\nbehind\n"


@pytest.mark.parametrize(
    "text",
    [
        "<!-- everdex begin: codex -->\n", "<!-- everdex end -->\n",
        "<!-- everdex begin: a -->\n<!-- everdex begin: a -->\n<!-- everdex end -->\n",
        "<!-- everdex begin: a -->\n<!-- everdex end -->\n<!-- everdex begin: a -->\n<!-- everdex end -->\n",
    ],
)  # fmt: skip
def test_markers_that_do_not_pair_up(text: str) -> None:
    """Somebody edited them: nothing is guessed."""
    with pytest.raises(fence.FenceError):
        fence.put(text, BODY, "codex", fence.MARKDOWN)

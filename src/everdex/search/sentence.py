"""Does a sentence say what a piece of code does ("return the …", "how are names checked") or name a subject?

The first is answered by a function, the second by a file, and each has weights of its own. Decided by how the sentence
begins, in English, and by nothing else: no index is asked, and what is not recognised names a subject.
"""

from __future__ import annotations

import re
from typing import Final

_WORD: Final = re.compile(r"[a-z][\w'+#.-]*")
_HOW_TO: Final = re.compile(r"how (?:to|(?:do|can|should) (?:i|we|you))\s+")
# Asks for a place in a file, not for the file. "How requests are routed" is no question: it names a subject.
_ASKS: Final = re.compile(
    r"how (?:is|are|was|were|does|do|did|has|have|can|could|should|will|would)\b"
    r"|(?:(?:in|by|from|under|at|to|on|for|with) )?(?:what|which)\b|(?:when|where|who|whom|why)\b"
    r"|(?:is|are|was|were|does|do|did|has|have|can|could|should|will|would)"
    r" (?:there|it|this|that|they|we|you|i|one|any|an?|the)\b"
)
# "unit tests for the parser": no English word but `test` is meant by itself ("test client").
_TESTS: Final = re.compile(
    r"\b(?:(?:unit|integration|end-to-end|e2e|regression|existing) tests?"
    r"|tests? (?:for|of|that|which|cases?|files?|suites?)|specs? (?:for|of)|(?:is|are|gets?|be) (?:\w+ ){0,6}tested)\b",
    re.IGNORECASE,
)
_LOOKED_AT: Final = 200  # characters: a question may be a page long
_LEAST_WORDS: Final = 3  # "open view" may be either
_ARTICLES: Final = frozenset(("a", "an", "the", "this"))
_DETERMINERS: Final = _ARTICLES | {
    "all", "any", "each", "every", "given", "if", "its", "one", "that", "these", "those", "whether"
}  # fmt: skip
_VERBS: Final = frozenset(
    _WORD.findall("""
    accept activate add adjust advance align allow analyse analyze append apply ask assemble assert assign attach
    augment authenticate authorize begin bind bring build calculate cancel capture check choose clean clear close
    collapse collect combine compare compile compress compute concatenate configure connect construct consume convert
    create cut deactivate decide declare decode decompress decrypt define delete deliver deserialize detach detect
    determine disable discard disconnect discover dispatch distribute divide do draw emit enable encode encrypt
    enqueue ensure enter enumerate erase escape estimate evaluate examine execute expand expire extend extract fetch
    fill find finish fit flatten flush force forward freeze gather generate get give grab guess hide highlight ignore
    implement increment indicate infer initialise initialize inject insert inspect install instantiate interpret
    invoke iterate keep launch let locate look maintain make manage merge modify move multiply normalise normalize
    notify obtain open override pack pad parse pass perform persist pick plot pop populate prepare print produce
    propagate provide prune publish put raise randomize reach read rebuild receive recompute reconnect recover
    redirect reduce refresh register reject reload remove rename render reorder repeat replace represent reset resize
    resolve restart restore restrict resume retrieve return reverse revert rewrite sanitize save scroll select send
    serialize show shuffle shut simplify simulate skip sleep sort specify split strip submit subscribe substitute
    subtract suspend swap synchronize take tell terminate toggle tokenize transform translate traverse trim truncate
    try turn uninstall unlock unpack unregister unsubscribe unwrap validate verify visualize wait wake warn wrap write
    yield
    """)
)
# These begin the name of a subject as often ("request routing", "format strings"): only what follows can tell.
_NOUNS_TOO: Final = frozenset(
    _WORD.findall("""
    cache call change copy count display download exit export filter format group handle hash import index join list
    load lock log map mark match measure place process prompt pull push query queue record release report request
    retry round run scale scan schedule search set shift start stop store switch test train trigger update upgrade
    upload use visit walk
    """)
)


def asks_directly(text: str) -> bool:
    """Whether a sentence is a question as one asks a person."""
    lowered = text.strip()[:_LOOKED_AT].lower()
    return bool(_ASKS.match(lowered)) and len(_WORD.findall(lowered)) >= _LEAST_WORDS


def asks_for_tests(text: str) -> bool:
    """Whether tests are the answer, and not what they test."""
    return bool(_TESTS.search(text[:_LOOKED_AT]))


def says_what_code_does(text: str) -> bool:
    """Whether a question is a sentence about what something does or gives, as a function's documentation begins."""
    lowered = text.strip()[:_LOOKED_AT].lower()
    how_to = _HOW_TO.match(lowered)
    words = _WORD.findall(lowered[how_to.end() :] if how_to else lowered)
    if words and words[0].endswith("ly"):
        words = words[1:]  # "recursively …"
    if len(words) < _LEAST_WORDS:
        return False
    first, second = words[:2]
    if how_to or first in _ARTICLES:
        return True
    forms = {first, first.removesuffix("s"), first.removesuffix("es")}
    if forms & _NOUNS_TOO:
        return second in _DETERMINERS
    return not forms.isdisjoint(_VERBS) and second not in ("and", "or")

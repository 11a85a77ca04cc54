"""What is said around a question and asks for nothing: "can you show me the place where names are checked, please?".

English, by shape alone. An order such as "find the nearest point" is no courtesy: its verb says what code does.
"""

from __future__ import annotations

import re
from typing import Final

_OPENING: Final = re.compile(
    r"(?:(?:hi|hello|hey|ok|okay|please|(?:can|could|would|will) you|(?:i|we)(?:'d| would)? (?:need|want|like|have) to"
    r"|(?:i'm|i am|we're|we are) trying to|help (?:me|us)(?: to)?)\b[\s,:.!]*)+",
    re.IGNORECASE,
)
_QUESTION: Final = r"(?:how|where|what|which|who|when|why|whether)\b"
_HERE: Final = r"(?: (?:in|of) (?:the|this|our) (?:code|code ?base|repo|repository|project|source code))?"
_VERB: Final = re.compile(
    r"(?:(?:tell|show|explain to|point) (?:me|us)(?: to)?|find(?: out| me)?|explain|understand|know|see|learn"
    rf"|figure out|look for|search for|locate|identify)\s+(?={_QUESTION}|(?:the|a|any)\s)",
    re.IGNORECASE,
)
_WHERE: Final = re.compile(
    r"(?:the|a|any) (?:exact )?(?:code|place|places|part|spot|file|files|function|method|class|location|line|lines)"
    rf"{_HERE} (?:where|in which)\s+",
    re.IGNORECASE,
)
_ASKS: Final = re.compile(_QUESTION, re.IGNORECASE)
_CLOSING: Final = re.compile(
    r"(?:\s+in (?:this|the|our) (?:code ?base|repo))?[\s,.!?]*(?:\b(?:thanks|thank you|thx|please|cheers)\b[\s,.!]*"
    r"(?:in advance[\s.!]*)?)*$",
    re.IGNORECASE,
)
_LEAST_WORDS: Final = 3
_LOOKED_AT: Final = 2_000  # characters: who pastes more asks nothing politely


def without_courtesy(text: str) -> str:
    """The question; the whole text if hardly anything of it would be left."""
    if len(text) > _LOOKED_AT:
        return text
    opening = _OPENING.match(text)
    asked = text[opening.end() :] if opening else text
    verb = _VERB.match(asked)
    inner = asked[verb.end() :] if verb else asked
    place = _WHERE.match(inner)
    if place:
        asked = f"where {inner[place.end() :]}"
    elif verb and _ASKS.match(inner):
        asked = inner
    if asked == text and not _ASKS.match(text):
        return text
    closing = _CLOSING.search(asked)
    asked = asked[: closing.start()] if closing else asked
    return asked if len(asked.split()) >= _LEAST_WORDS else text

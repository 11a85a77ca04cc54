"""What an engine knew before its tables were full: taken over answer by answer, as it is asked for again.

Most answers are asked for by one file and its neighbours, some by every file of a tree. To forget them all at once had
a third of sympy's answers made anew; which are worth keeping shows only when they are asked for.
"""

from __future__ import annotations

from typing import Any

from everdex.graph.python.edits.earlier import Known
from everdex.graph.python.file.files import Answers, File


class Older:
    """The answers of the tables before, which begin anew. The world is the same, so every one of them holds."""

    def __init__(self, known: Known, left: dict[str, Answers]) -> None:
        self._answers = left | {path: file.begin_again() for path, file in known.files.items()}
        for file in known.files.values():
            file.arguments.clear()
        self._asked, self._cut, self._told = known.asked.copy(), known.cut.copy(), known.told.copy()
        for table in (known.asked, known.cut, known.told):
            table.clear()

    def knows(self, path: str) -> bool:
        """Whether anything was asked about a file."""
        former = self._answers.get(path)
        return former is not None and bool(former.values or former.cut)

    def recall_value(self, file: File, expression: int, context: int, fuel: int) -> bool:
        """Whether an expression's value was known and is now."""
        former = self._answers.get(file.path)
        if former is None:
            return False
        answers, cut, computed, _ = former
        key = (expression, context) if context else expression
        found = answers.get(key)
        if found is not None and found[0] <= fuel:
            file.answers[key] = answers.pop(key)
            if expression in computed:  # it may have been read again since
                file.computed.add(expression)
            return True
        short = cut.pop((expression, context, fuel), None)
        if short is not None:
            file.cut[expression, context, fuel] = short
        return short is not None

    def recall(self, key: Any, fuel: int, known: Known) -> bool:
        """The same of another question, in what is known now."""
        found = self._asked.get(key)
        if found is not None and found[0] <= fuel:
            known.asked[key] = self._asked.pop(key)
            return True
        short = self._cut.pop((key, fuel), None)
        if short is not None:
            known.cut[key, fuel] = short
        return short is not None

    def recall_told(self, key: Any, known: Known) -> bool:
        """The same of one that costs no fuel."""
        found = self._told.pop(key, None)
        if found is not None:
            known.told[key] = found
        return found is not None

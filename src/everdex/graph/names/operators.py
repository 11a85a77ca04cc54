"""What operators and brackets call: members of an operand, or functions that take one, where the root defines some.

Where nothing in the root defines an operator there is no site for it, and none where the operands are known to be
something else's. Of operands that nobody knows the name tells nothing: every library has a plus of its own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import msgspec

from everdex.facts import names_model as facts
from everdex.facts import operators
from everdex.graph.model import Status
from everdex.graph.names.calls import Calls
from everdex.graph.names.choosing import MAX_CANDIDATES, Answer, unresolved
from everdex.graph.names.evaluate import Evaluation
from everdex.graph.names.index import Ref
from everdex.graph.names.lookup import MAX_WORK
from everdex.graph.names.members import LOST
from everdex.graph.names.operands import (
    DOUBT,
    EXACT,
    FOREIGN,
    NO,
    NOBODY,
    OURS,
    Operand,
    Operands,
    Taken,
    place_of,
)  # fmt: skip
from everdex.graph.names.preprocessed import HEADERS
from everdex.graph.names.rules import ABSTRACT, CALLABLES
from everdex.graph.names.things import CALLABLE, INSTANCE, ITSELF, OUTSIDE, SHOWN, Place, Thing, unknown
from everdex.graph.names.types import last_name

_UNKNOWN: Final = "operand of an unknown type"
_SEVERAL: Final = "several definitions fit"
_MAX_DEEP: Final = 24  # operators in operands of operators
_DONE: Final = frozenset((operators.READ, operators.STORED, operators.BOTH))
_OPERATORS: Final = ("operator ", "override ")  # before the name of a function of Kotlin
_SHIFTS: Final = frozenset(("<<", ">>"))
_BY_FIRST: Final = frozenset(("kotlin", "scala"))  # where the first operand decides, and what others take is stated
_LATER_CONVERTED: Final = frozenset(("csharp", "cpp", "cuda"))  # where another operand may decide what is run

Found = list[tuple[facts.Use, Answer]]


class Operators(Calls):
    """Answers for the operators of one file, too."""

    def __init__(self, evaluation: Evaluation, uses: tuple[facts.Use, ...]) -> None:
        super().__init__(evaluation, uses)
        self.operands = Operands(evaluation)
        self._places: dict[tuple[int, int], facts.Use] | None = None
        self._known: dict[tuple[str, bool], list[Taken] | None] = {}
        self._said: dict[tuple[object, ...], Answer | None] = {}
        self._results: dict[tuple[int, int], Thing] = {}
        self._deep = 0
        evaluation.results = self._result

    def operator(self, use: facts.Use) -> Found:
        """What an operator calls; nothing where that is nothing of the root."""
        brackets = use.text in _DONE
        if brackets:
            names = operators.indexing(self.language, use.text)
        else:
            names = operators.named(self.language, use.text, 1 + len(use.given))
        known = [name for name in names if self._definitions(name, brackets) != []]
        if not known:
            return []
        operands = self._operands(use)
        answers = [(name, answer) for name in known if (answer := self._answer(name, use, operands)) is not None]
        if brackets:
            return self._bracketed(use, answers)
        # The first that an operand has is run, in place of all others.
        first = next((pair for pair in answers if pair[1].status is Status.RESOLVED), None)
        return [(self._shown(use, name), answer) for name, answer in ([first] if first else answers)]

    def _bracketed(self, use: facts.Use, answers: list[tuple[str, Answer]]) -> Found:
        if self.language == "rust" and use.text == operators.BOTH and len(answers) > 1:
            answers = [(name, _maybe(answer, "may be changed there")) for name, answer in answers]
        return [(self._shown(use, name), answer) for name, answer in answers]

    def _shown(self, use: facts.Use, name: str) -> facts.Use:
        receiver = "" if "@{" in use.receiver or "?" in use.receiver else use.receiver.lstrip("*&")
        return msgspec.structs.replace(use, name=name, receiver=receiver, text="")

    def _operands(self, use: facts.Use) -> list[Operand]:
        place = place_of(use, self.evaluation)
        self.evaluation.budget = MAX_WORK
        found = [self.operands.operand(chain, place) for chain in (use.receiver, *use.given)]
        if use.text in _DONE and found[0].thing.kind == INSTANCE and found[0].thing.held == SHOWN:
            # Brackets look through what holds it: `Box<Grid>`.
            found[0] = found[0]._replace(kind=OURS, thing=found[0].thing._replace(held=ITSELF))
        if use.text in _DONE and found[0].thing.name.startswith("super:"):
            # C#: `base[i]` is the indexer that the nearest base has, of which the operand is then one.
            above = self.evaluation.member(found[0].thing, operators.indexing(self.language, use.text)[0])[0]
            owner = above[0].name.rpartition(".")[0] if above else ""
            found[0] = found[0]._replace(thing=Thing(INSTANCE, owner, self.evaluation.reader.definitions(owner)))
        return found

    def _definitions(self, name: str, brackets: bool) -> list[Taken] | None:
        """The definitions of an operator with what they take; None where they are too many to look at."""
        key = (name, brackets)
        if key not in self._known:
            every = self.evaluation.reader.every(name)
            refs = [ref for ref in every or () if self._is_operator(ref)]
            if self.rules.group == "c":
                near = {ref.name for ref in refs if self._is_included(ref)}
                refs = [ref for ref in refs if ref.name in near]
            self._known[key] = None if every is None else [self.operands.taken(ref, brackets) for ref in refs]
        return self._known[key]

    def _is_included(self, ref: Ref) -> bool:
        """Whether a definition of C++ is not in another source file."""
        module = ref.module
        return module is self.module or module.path.endswith(HEADERS) or self.evaluation.reaches(ref, self.module)

    def _is_operator(self, ref: Ref) -> bool:
        """Whether a definition of an operator's name is one: `plus` and `add` are names of other things, too."""
        item, language = ref.defined, ref.module.outline.language
        if not ref.key or (item.kind not in CALLABLES and item.kind != "property"):
            return False
        if self.rules.group == "c":
            return "= delete" not in item.signature and self.evaluation.visible(ref, self.module)
        if self.language == "kotlin" and language == "java":
            return True
        if language != self.language:
            return False
        if language == "kotlin":
            return any(word in item.signature for word in _OPERATORS)
        if language != "rust":
            return True
        around = ref.module.outline.definitions[item.parent] if item.parent >= 0 else None
        return around is not None and any(last_name(base) == operators.trait(item.name) for base in around.bases)

    def _answer(self, name: str, use: facts.Use, operands: list[Operand]) -> Answer | None:
        what = tuple(
            (each.kind, each.thing.kind, each.thing.name, each.thing.held, each.label, each.is_named)
            for each in operands
        )
        key = (name, use.text, what)
        if key not in self._said:
            self._said[key] = self._worked_out(name, use, operands)
        return self._said[key]

    def _worked_out(self, name: str, use: facts.Use, operands: list[Operand]) -> Answer | None:
        brackets = use.text in _DONE
        every = self._definitions(name, brackets)
        kinds = {each.kind for each in operands}
        if every is None:
            every = self._of_types(name, brackets, operands)
            if not every and NOBODY in kinds and OURS not in kinds:
                return unresolved(_UNKNOWN)
        rated = [(each, fits) for each in every if NO not in (fits := self._fits(each, operands, brackets))]
        if not rated:
            return self._lost(operands)
        if OURS not in kinds and NOBODY not in kinds:
            # Of what is all somebody else's only what is said to take just that.
            rated = [pair for pair in rated if DOUBT not in pair[1] and self._is_just_that(pair[1], operands)]
            if not rated:
                return None
        if OURS not in kinds and NOBODY in kinds:
            return self._of_nobody(name, use, [each.ref for each, _ in rated], operands)
        if self._says_nothing(operands, [fits for _, fits in rated]):
            return unresolved(_UNKNOWN)
        best = max(min(fits) for _, fits in rated)
        rated = [pair for pair in rated if min(pair[1]) == best]
        most = max(sum(fits) for _, fits in rated)
        chosen = self._paired([each.ref for each, fits in rated if sum(fits) == most])
        if best == DOUBT and len({each.ref.name for each, _ in rated}) > 1:
            chosen = self._paired([each.ref for each, _ in rated])
        answer = self._several(chosen)
        if answer.status is not Status.RESOLVED:
            return answer
        if OURS not in kinds and self.language != "kotlin":
            return replace(answer, status=Status.AMBIGUOUS, reason="may extend what is outside")
        if best == DOUBT and self._is_doubtful(rated[0], operands):
            return replace(answer, status=Status.AMBIGUOUS, reason=_UNKNOWN)
        return self._or_below(answer, name, use, rated[0][0])

    def _says_nothing(self, operands: list[Operand], fits: list[tuple[int, ...]]) -> bool:
        """Whether nobody knows what decides, and what stands behind would do for anything: every library has `==`."""
        decided = operands[0].kind != NOBODY or self.language not in _BY_FIRST
        return not decided and all(max(each[1:], default=DOUBT) < EXACT for each in fits)

    def _or_below(self, answer: Answer, name: str, use: facts.Use, taken: Taken) -> Answer:
        parent = taken.ref.defined.parent
        declared = parent >= 0 and taken.ref.module.outline.definitions[parent].kind in ABSTRACT
        if not (taken.is_member or declared) or self.language == "rust" or taken.ref.defined.receiver:
            return answer
        call = msgspec.structs.replace(use, role=facts.CALL, name=name, text="", given=(), arguments=-1)
        return self._running(list(answer.refs), call)

    def _is_doubtful(self, rated: tuple[Taken, tuple[int, ...]], operands: list[Operand]) -> bool:
        """Whether something else may be run, as nobody knows what one of the operands is."""
        taken, fits = rated
        doubts = [operand for operand, fit in zip(operands, fits, strict=False) if fit == DOUBT]
        for at, (operand, fit) in enumerate(zip(operands, fits, strict=True)):
            known = operand.kind not in (NOBODY, FOREIGN)
            made = operand.kind == FOREIGN and self.operands.thing(taken, at).kind == INSTANCE
            if fit == DOUBT and (known or made):
                return True  # what has to be converted
        if operands[0] in doubts and operands[0].kind == NOBODY:
            return True
        return self.language in _LATER_CONVERTED and not taken.is_member and any(
            each.kind == NOBODY for each in doubts
        )

    def _is_just_that(self, fits: tuple[int, ...], operands: list[Operand]) -> bool:
        named = zip(operands, fits, strict=False)
        own = self.language in ("kotlin", "scala", "swift", "cpp", "cuda", "ruby")
        return own and any(fit == EXACT and each.kind == FOREIGN for each, fit in named)

    def _fits(self, taken: Taken, operands: list[Operand], brackets: bool) -> tuple[int, ...]:
        count = len(taken.stated)
        if brackets and not self._takes_labels(taken.ref, operands):
            return (NO,)
        if min(count, len(operands)) != len(operands) if brackets else count != len(operands):
            return (NO,)
        if taken.moving and operands[-1].is_named:
            return (NO,)
        if taken.is_member and operands[0].kind != NOBODY and self._is_no_member(taken, operands[0]):
            return (NO,)
        if brackets and self.language == "rust" and operands[0].kind == OURS:
            # What a reference refers to is looked into without a word.
            operands = [operands[0]._replace(thing=operands[0].thing._replace(held=ITSELF)), *operands[1:]]
        fits = [DOUBT] * len(operands)
        for at, each in enumerate(operands):
            if each.kind != NOBODY:
                fits[at] = self.operands.fit(each, self.operands.thing(taken, at))
                if fits[at] == NO:
                    return (NO,)
        last = operands[-1]
        if taken.moving and last.thing.held == ITSELF and fits[-1] == EXACT:
            fits[-1] += 1  # it takes what nobody else has rather than others do
        return tuple(fits)

    def _is_no_member(self, taken: Taken, first: Operand) -> bool:
        """What an operator is a member of is not made of anything else for it."""
        thing = self.operands.thing(taken, 0)
        if first.kind != OURS or thing.kind != INSTANCE:
            return thing.kind == INSTANCE
        return thing.name.rpartition(".")[2] not in self.evaluation.lineage(first.thing.name)[0]

    def _takes_labels(self, ref: Ref, operands: list[Operand]) -> bool:
        """Whether a subscript of Swift has parameters that are called so by who reads it."""
        if self.language != "swift":
            return True
        inside = ref.defined.signature.partition("(")[2]
        labels = [part.partition(":")[0].split() for part in inside.split(",")[: len(operands) - 1]]
        wanted = [words[0] if len(words) > 1 and words[0] != "_" else "" for words in labels]
        return wanted == [each.label for each in operands[1:]]

    def _lost(self, operands: list[Operand]) -> Answer | None:
        """Nothing here takes these; what an operand inherits may be in a base that was not found."""
        for each in operands:
            outside = self.evaluation.bases(each.thing.name)[1] if each.kind == OURS else ""
            if outside.startswith(LOST):
                return unresolved(f"base {outside.removeprefix(LOST)} not found")
        return None

    def _of_types(self, name: str, brackets: bool, operands: list[Operand]) -> list[Taken]:
        """Of very many definitions those of the operands' types."""
        found: list[Ref] = []
        for each in operands:
            found += self.evaluation.member(each.thing, name)[0] if each.thing.kind == INSTANCE else ()
        every = dict.fromkeys(ref for ref in found if self._is_operator(ref))
        return [self.operands.taken(ref, brackets) for ref in every]

    def _of_nobody(self, name: str, use: facts.Use, refs: list[Ref], operands: list[Operand]) -> Answer:
        """Nothing is known of the operands: only an operator that nobody else has says whose it is."""
        usual = name.removeprefix("operator") in _USUAL or name.isalnum() or "_" in name or "[" in name
        if usual or len({ref.name for ref in refs}) > 1:
            return unresolved(_UNKNOWN)
        return Answer(Status.AMBIGUOUS, tuple(self._paired(refs)[:MAX_CANDIDATES]), reason=_UNKNOWN)

    def _result(self, line: int, column: int) -> Thing:
        """What the operator at a place gives."""
        if self._places is None:
            every = (use for use in self.uses if use.role == facts.OPERATOR)
            self._places = {(use.line, use.column): use for use in every}
        known, use = self._results.get((line, column)), self._places.get((line, column))
        if use is None:
            return Thing(OUTSIDE, self.rules.literal)  # of literals alone
        if known is not None or self._deep >= _MAX_DEEP:
            return known or unknown("computed value")
        self._deep += 1
        self._results[line, column] = unknown("computed value")  # of `x = x + 1`
        depth, self.evaluation.budget = self.evaluation.budget, MAX_WORK
        found = self._given(use)
        self.evaluation.budget = depth
        self._deep -= 1
        self._results[line, column] = found
        return found

    def _given(self, use: facts.Use) -> Thing:
        found = self.operator(use)
        if any(answer.status is not Status.RESOLVED for _, answer in found):
            every = [self._returned(ref) for _, answer in found for ref in answer.refs]
            same = bool(every) and all((each.kind, each.name) == (every[0].kind, every[0].name) for each in every)
            return every[0] if same else unknown(_UNKNOWN)
        if found:
            return self._returned(found[0][1].refs[0])
        operands = self._operands(use)
        if operands[0].kind == OURS or (use.text in _SHIFTS and operands[0].kind == FOREIGN):
            return operands[0].thing  # a pointer that is moved, a stream
        if any(each.kind in (NOBODY, OURS) for each in operands) or self._is_text_of_scala(operands):
            return unknown(_UNKNOWN)
        named = [each.thing for each in operands if each.kind == FOREIGN]
        return named[0] if named else operands[0].thing

    def _is_text_of_scala(self, operands: list[Operand]) -> bool:
        """What a text and something else give is a text, to which others may add methods there."""
        return self.language == "scala" and any(each.literal == "text" for each in operands)

    def _returned(self, ref: Ref) -> Thing:
        item = ref.defined
        if self.language == "rust" and item.returns in ("Self::Output", "Self"):
            definitions = ref.module.outline.definitions
            stated = [each for each in definitions if each.parent == item.parent and each.name == "Output"]
            place = Place(ref.module, ref.at, item.start_line, 0)
            if stated and item.returns != "Self":
                return self.evaluation.type_named(stated[0].type, place)
        return self.evaluation.called(Thing(CALLABLE, ref.name, (ref,)))


def _maybe(answer: Answer, reason: str) -> Answer:
    return replace(answer, status=Status.AMBIGUOUS, reason=reason) if answer.refs else answer


_USUAL: Final = frozenset((
    "+", "-", "*", "/", "%", "**", "&", "|", "^", "~", "!", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "<=>", "===",
    "=~", "!~", "..", "..<", "...", "++", "--", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "::",
    ":+", "+:", "++:", ":::", "->", "&&", "||", "-@", "+@", "??", "~=",
))  # fmt: skip

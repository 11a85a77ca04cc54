"""What names are tested to be, once names are linked: calls that may say `x is T` of them, and `instanceof`.

Which of these calls do say so is left to the resolver, where the function is of another file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from everdex.facts import javascript_model as m


def link(
    expressions: Sequence[m.Row], types: Sequence[m.Row], bindings: Sequence[m.Binding],
    functions: Sequence[m.Function], tested: Iterable[tuple[int, int]],
) -> None:  # fmt: skip
    """Give names the tests that they are in: pairs of an expression and what it is tested by."""
    for value, test in tested:
        row = expressions[value]
        if row[0] == m.NAME and _may_say(expressions, types, bindings, functions, test):
            bindings[row[1]].tests.append(test)


def _may_say(
    expressions: Sequence[m.Row], types: Sequence[m.Row], bindings: Sequence[m.Binding],
    functions: Sequence[m.Function], test: int,
) -> bool:  # fmt: skip
    """Whether a test may say what something is: not where it calls functions of this file that do not."""
    if expressions[test][0] == m.NEW:
        return True
    row = expressions[expressions[test][1]]
    if row[0] == m.MEMBER:
        return expressions[row[1]][0] in (m.NAME, m.THIS)
    if row[0] != m.NAME:
        return False
    values = [expressions[value] for value in bindings[row[1]].values]
    called = [functions[value[1]] for value in values if value[0] == m.FUNCTION]
    signatures = [each for one in called for each in (one, *(functions[number] for number in one.overloads))]
    return len(called) < max(1, len(values)) or any(types[each.result][0] == m.T_PREDICATE for each in signatures)


def merge(bindings: Sequence[m.Binding], names: Mapping[str, int], types: Mapping[str, int]) -> None:
    """An interface and a class of one name in one scope are one type."""
    for name, index in types.items():
        binding, other = bindings[index], names.get(name)
        if binding.kind == m.TYPE and other is not None and bindings[other].kind == m.DECLARED_CLASS:
            binding.values = bindings[other].values

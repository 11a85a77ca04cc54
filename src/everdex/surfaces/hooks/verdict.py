"""From the daemon's words to what Claude Code reads: context, and before an edit the gate's decision.

Only `block` stops a tool, and only where the repository's configuration says so; whatever is not understood is silence.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def output(hook: str, result: dict[str, Any], limit: int) -> dict[str, str] | None:
    """`hookSpecificOutput`; None when there is nothing to say."""
    text = _text(result.get("context"))
    gate = result.get("gate")
    decision, why = (gate.get("decision"), _text(gate.get("text"))) if isinstance(gate, dict) else ("allow", "")
    if hook == "PreToolUse" and decision == "block" and why:
        return {"hookEventName": hook, "permissionDecision": "deny", "permissionDecisionReason": why[:limit]}
    said = "\n".join(filter(None, (why if decision == "warn" else "", text)))[:limit]
    return {"hookEventName": hook, "additionalContext": said} if said else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""

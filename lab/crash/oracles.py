"""What must hold of every state that a crash may leave."""

from __future__ import annotations

from collections.abc import Sequence

LOST = "loses an acknowledged record"
INVENTED = "returns a record that nobody wrote"
HOLE = "returns a later record without an earlier one"
FORGETS = "loses records when it goes on"
UNREAD = "appends what is not read"
DIED = "ends without an answer"
DAMAGE = "calls a crash damage"
STOPS = "refuses to go on"

VIOLATIONS = (LOST, INVENTED, HOLE, FORGETS, UNREAD, DIED)
"""What no writer may do whose word is to count."""
NOTES = (DAMAGE, STOPS)
"""What costs no record: somebody has to look, or a new log has to be begun."""


def after_a_crash(written: Sequence[str], acknowledged: int, found: Sequence[str]) -> list[str]:
    """What is wrong about the payloads that a reader found.

    ``written`` are all that were given to the writer, in order; the first ``acknowledged`` are
    safe. What is found must be the first ones, at least those.
    """
    if any(one not in written for one in found):
        return [INVENTED]
    if list(found[:acknowledged]) != list(written[:acknowledged]):
        return [LOST]
    return [] if list(found) == list(written[: len(found)]) else [HOLE]


def after_an_append(
    written: Sequence[str], acknowledged: int, appended: str, found: Sequence[str]
) -> list[str]:
    """What is wrong after one more record was appended to a log that a crash left.

    It must be the last one; before it there is what :func:`after_a_crash` asks for.
    """
    if not found or found[-1] != appended:
        return [UNREAD]
    wrong = after_a_crash(written, acknowledged, found[:-1])
    return [FORGETS if one == LOST else one for one in wrong]

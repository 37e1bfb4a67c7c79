"""Known failures: each is of an existing case, with a described cause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from conformance.known_failures import UNEXPLAINED
from conformance.traceability.tree import Found, Tree, profiles_of


def unsound_known_failure(tree: Tree) -> Iterator[Found]:
    """Report known failures without a cause, listed twice, or of a case that does not exist."""
    for path, body in tree.known_failures.items():
        where = tree.show(path)
        causes = body.get("causes", {})
        listed = Counter((entry["vector"], entry["profile"]) for entry in body["failures"])
        for (identifier, profile), times in listed.items():
            vector = tree.vectors.get(identifier)
            if vector is None:
                yield where, f"there is no vector {identifier}"
            elif profile not in profiles_of(vector):
                yield where, f"{identifier} never runs with profile {profile}"
            if times > 1:
                yield where, f"{identifier} is listed {times} times for {profile}"
        used = {entry.get("cause") or UNEXPLAINED for entry in body["failures"]}
        for name in sorted(used):
            if name == UNEXPLAINED or not str(causes.get(name, "")).strip():
                yield where, f"the cause {name} is not explained"
        for name in sorted(set(causes) - used):
            yield where, f"the cause {name} is used by no entry"

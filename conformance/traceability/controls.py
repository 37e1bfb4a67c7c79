"""Controls: a damaged vector is meaningful only together with its undamaged sibling."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.traceability.tree import Found, Tree, profiles_of


def damage_without_control(tree: Tree) -> Iterator[Found]:
    """Report vectors that need a control but have none.

    A vector needs a control if its log is a damaged copy of another log, or if its verdict is torn
    or damaged.
    """
    for vector in tree.vectors.values():
        verdict = vector.body["expect"]["verdict"]
        if vector.control is None and (vector.damage or verdict in ("torn", "damaged")):
            why = f"damaged ({vector.damage[0]})" if vector.damage else verdict
            yield vector.id, f"{why}, but it has no control"


def broken_control(tree: Tree) -> Iterator[Found]:
    """Report controls that are missing, damaged, empty, or not run in their vector's profiles."""
    for vector in tree.vectors.values():
        if vector.control is None:
            continue
        control = tree.vectors.get(vector.control)
        if control is None:
            yield vector.id, f"its control {vector.control} does not exist"
            continue
        expect = control.body["expect"]
        if control.damage or control.control is not None or expect["verdict"] != "intact":
            yield vector.id, f"its control {control.id} is damaged, too"
        if not expect["records"]:
            yield vector.id, f"its control {control.id} has no records to lose"
        if missing := profiles_of(vector) - profiles_of(control):
            yield (
                vector.id,
                f"its control {control.id} never runs with profile {', '.join(missing)}",
            )

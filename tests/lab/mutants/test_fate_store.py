"""A hunt that was stopped goes on where it was."""

from __future__ import annotations

from lab.mutants.choice import Choice, all_mutants
from lab.mutants.fate_store import Kept, kept_of
from lab.mutants.reviewed import Reviewed
from lab.mutants.run import hunt


def test_what_is_known_is_not_asked_again(tmp_path) -> None:
    choice = Choice(functions=("writer.append_stream",))
    asked: list[str] = []

    def run(kept: Kept) -> dict[str, object]:
        asked.clear()
        report = hunt(
            "leveldb-log", choice, common=False, reviewed=Reviewed(), kept=kept,
            progress=lambda fate: asked.append(fate.mutant.name.before),
        )  # fmt: skip
        return {name: report[name] for name in ("mutants", "killed", "survivors")}

    path = tmp_path / "kept.jsonl"
    first = run(Kept(path))
    mutants = len(choice.of(all_mutants("leveldb-log", Reviewed())))
    assert len(asked) == first["mutants"] == mutants > 5
    assert run(Kept(path)) == first
    assert asked == []
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-2]) + lines[-2][:40])  # killed while it wrote
    assert run(Kept(path)) == first
    assert len(asked) == 2


def test_another_vector_or_another_way_of_asking_begins_anew() -> None:
    names = {kept_of(one, common).path for one in ("leveldb-log", "zmq-raft") for common in (0, 1)}
    assert len(names) == 4

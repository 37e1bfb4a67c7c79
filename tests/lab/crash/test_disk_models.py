"""The crash models allow exactly the right states, which tests list in full for small traces."""

from __future__ import annotations

from lab.crash.disk_models import states
from lab.crash.trace import ROOT, Acknowledged, NameChanges, Operation, Resize, Sync, Trace, Write

FILE = 1
MADE = NameChanges(((ROOT, "a", FILE),))


def contents(model: str, *operations: Operation, sector: int = 512) -> set[tuple[object, int]]:
    """Return the content of ``a``, or None, and the acknowledged records in each state."""
    result, complete = states(Trace(list(operations)), model, sector)
    assert complete
    built = [each.build() for each in result]
    return {(each.files.get("a"), each.acknowledged) for each in built}


def test_a_killed_process_loses_no_written_bytes() -> None:
    assert contents("process", MADE, Write(FILE, 0, b"x" * 600), Acknowledged(1)) == {
        (b"", 0),
        (b"x" * 600, 1),
    }


def test_an_ordered_disk_may_tear_or_delay_a_write() -> None:
    assert contents("ordered", MADE, Write(FILE, 0, b"x" * 600), Acknowledged(1)) == {
        (None, 1),
        (b"", 1),
        (b"x" * 512, 1),
        (b"x" * 600, 1),
    }


def test_a_sync_prevents_a_delay_on_an_ordered_disk() -> None:
    result = contents("ordered", MADE, Write(FILE, 0, b"xy"), Sync(FILE, 2), Acknowledged(1))
    assert result == {(None, 0), (b"", 0), (b"xy", 1)}


def test_size_before_data_and_data_before_size() -> None:
    synced = [MADE, Sync(ROOT, 1)]
    result = contents("any", *synced, Write(FILE, 0, b"x" * 600))
    zeros, xs = bytes(512), b"x" * 512
    assert result == {
        (None, 0),  # a crash before the sync
        (b"", 0),
        (zeros, 0),
        (xs, 0),
        (zeros + bytes(88), 0),
        (zeros + b"x" * 88, 0),
        (xs + bytes(88), 0),
        (b"x" * 600, 0),
    }


def test_a_sector_has_a_prefix_of_its_writes() -> None:
    base = [MADE, Write(FILE, 0, b"----"), Sync(FILE, 2), Sync(ROOT, 3)]
    result = contents("any", *base, Write(FILE, 0, b"a"), Write(FILE, 3, b"b"))
    after = {content for content, _ in result if content}
    # ``---b`` does not occur, because the writes to a sector take effect in order.
    assert after == {b"----", b"a---", b"a--b", bytes(4)}
    # After a crash before the first sync, the file may have its size but no content.
    assert (bytes(4), 0) in result


def test_a_file_name_is_durable_after_a_sync_of_its_folder_or_any_sync_of_a_journal() -> None:
    trace = [MADE, Write(FILE, 0, b"xy"), Sync(FILE, 2), Acknowledged(1)]
    assert (None, 1) in contents("any", *trace)
    assert {each for each in contents("journaled", *trace) if each[1]} == {(b"xy", 1)}


def test_a_rename_before_the_sync_may_leave_an_empty_file() -> None:
    old = [MADE, Write(FILE, 0, b"old"), Sync(FILE, 2), Sync(ROOT, 3), Acknowledged(1)]
    new = [
        NameChanges(((ROOT, "new", 2),)),
        Write(2, 0, b"old and new"),
        NameChanges(((ROOT, "new", None), (ROOT, "a", 2))),
    ]
    for model in ("journaled", "any"):
        assert (bytes(11), 1) in contents(model, *old, *new)
    assert (b"", 1) in contents("any", *old, *new)
    right = [*new[:2], Sync(2, 7), new[2]]
    for model in ("journaled", "any"):
        assert {each[0] for each in contents(model, *old, *right) if each[1]} == {
            b"old",
            b"old and new",
        }


def test_truncated_bytes_do_not_return() -> None:
    base = [MADE, Write(FILE, 0, b"secret"), Sync(FILE, 2), Sync(ROOT, 3)]
    result = contents("any", *base, Resize(FILE, 2), Resize(FILE, 6))
    assert {content for content, _ in result if content} == {
        b"secret",
        b"se",
        b"se" + bytes(4),
        # This content is possible after a crash before the first sync.
        bytes(6),
    }


def test_a_sync_does_not_cover_another_file() -> None:
    both = NameChanges(((ROOT, "a", FILE), (ROOT, "b", 2)))
    trace = [
        both,
        Sync(ROOT, 1),
        Write(FILE, 0, b"x"),
        Write(2, 0, b"y"),
        Sync(2, 4),
        Acknowledged(1),
    ]
    assert {content for content, count in contents("any", *trace) if count} == {b"", b"x", b"\0"}


def test_writes_during_a_sync_are_not_covered() -> None:
    trace = [MADE, Sync(ROOT, 1), Write(FILE, 0, b"x"), Sync(FILE, 2), Acknowledged(1)]
    assert (b"", 1) in contents("any", *trace)


def test_too_many_states_are_sampled_by_seed() -> None:
    trace = Trace([MADE, Sync(ROOT, 1), Write(FILE, 0, b"x" * 512 * 20)])
    result, complete = states(trace, "any", 512, 100, 1)
    assert not complete
    again, _ = states(trace, "any", 512, 100, 1)
    other, _ = states(trace, "any", 512, 100, 2)
    assert [each.build() for each in result] == [each.build() for each in again]
    assert [each.build() for each in result] != [each.build() for each in other]
    # A sample always includes the two extremes: no write, and every write.
    contents = [each.build().files.get("a") for each in result]
    assert b"" in contents and b"x" * 512 * 20 in contents

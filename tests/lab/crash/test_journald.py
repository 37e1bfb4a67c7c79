"""Fields that journald adds do not count as written, and ``journalctl --sync`` prevents loss."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from conformance.checked_program import checked_implementation
from lab.crash.command import crash
from lab.crash.crash_run import all_writers, can_be_isolated, run
from lab.crash.format_crash import crash_of
from reference_impl.systemd_journal.export_format import entry_body

from .test_recorder import needs_seccomp

WHAT = crash_of("systemd-journal")
DAEMON = [b"_PID=1", b"_TRANSPORT=journal", b"_COMM=python"]


def test_fields_added_by_journald_are_ignored() -> None:
    (record,) = WHAT.records(1)
    fields = record.payload.splitlines()
    assert WHAT.written(entry_body([*fields, *DAEMON])) == record.payload
    mine = entry_body([b"MESSAGE=Journal started", b"PRIORITY=6", b"SYSLOG_IDENTIFIER=j"])
    assert WHAT.written(mine) is None
    without_its_message = entry_body([b"UNIT=crash", *DAEMON])
    assert WHAT.written(without_its_message) == b"UNIT=crash\n" != record.payload


def test_a_writer_that_mounts_folders_is_not_sandboxed() -> None:
    boxed = {each.name: can_be_isolated(each) for each in all_writers()}
    assert not boxed["systemd-journald-262"] and boxed["sqlite-full"]


def test_an_unknown_writer_is_a_usage_error_that_lists_them() -> None:
    done = CliRunner().invoke(crash, ["--writer", "nobody"])
    assert done.exit_code == 2 and "systemd-journald-262" in done.output


@needs_seccomp
def test_journalctl_sync_prevents_losses() -> None:
    writer = next(each for each in all_writers() if each.name == "systemd-journald-262")
    subject = checked_implementation(writer, "walproof")
    if subject.unavailable:
        pytest.skip(f"unavailable, because {subject.unavailable}")
    subject.isolated = False
    doing = run(subject, "systemd-journal", ["ordered"], 4096, 2, 10, 1, slow=0.1)
    (result,) = doing.results
    assert not result.judgement.violations()

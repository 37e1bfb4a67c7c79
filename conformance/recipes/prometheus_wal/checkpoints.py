"""Checkpoints: which one a reader uses, which segments it replaces, and damaged checkpoints."""

from conformance.recipes.prometheus_wal.log import CHECKPOINTS, PrometheusLog, numbered, segment

C1, C3 = "checkpoint.00000001", "checkpoint.00000003"


@CHECKPOINTS.valid("PRW-004", "PRW-002")
def checkpoint_and_segments(log: PrometheusLog) -> None:
    """A checkpoint replaces segments 0 and 1. Two segments follow it."""
    log.build_files(c1_s0=[b"alpha", b"bravo"], s2=[b"charlie"], s3=[b"delta"])
    log.expect("intact", survivors=range(4), end=12)


@CHECKPOINTS.valid("PRW-004")
def checkpoint_of_two_segments(log: PrometheusLog) -> None:
    """A checkpoint has two segments, and its records span more than one page."""
    log.build_files(c3_s0=[b"alpha", numbered(40000)], c3_s1=[b"bravo"], s4=[b"charlie"])
    log.expect("intact", survivors=range(4))


@CHECKPOINTS.valid("PRW-004", kind="limit")
def checkpoint_with_replaced_segments(log: PrometheusLog) -> None:
    """After a crash, the segments that the checkpoint replaces are still there. They are not part
    of the log."""
    log.build_files(c1_s0=[b"alpha"], s2=[b"bravo"])
    log.files["00000000"] = bytearray(segment(b"zulu"))
    log.files["00000001"] = bytearray(segment(b"yankee")[:-1])
    log.expect("intact", survivors=range(2))


@CHECKPOINTS.valid("PRW-004", kind="limit")
def two_checkpoints(log: PrometheusLog) -> None:
    """After a crash, two checkpoints exist. The older one is not part of the log."""
    log.build_files(c3_s0=[b"alpha"], s4=[b"bravo"])
    log.files["checkpoint.00000001/00000000"] = bytearray(segment(b"zulu"))
    log.files["00000002"] = bytearray(segment(b"yankee"))
    log.expect("intact", survivors=range(2))


@CHECKPOINTS.valid("PRW-002", "PRW-004", kind="limit")
def checkpoint_of_six_digits(log: PrometheusLog) -> None:
    """The number in a checkpoint name has six digits, as in Loki and in Prometheus before 2.18."""
    log.files = {
        "checkpoint.000002/00000000": bytearray(segment(b"alpha")),
        "00000003": bytearray(segment(b"bravo")),
    }
    log.payloads += [b"alpha", b"bravo"]
    log.expect("intact", survivors=range(2))


@CHECKPOINTS.valid("PRW-004", kind="limit")
def two_names_of_a_checkpoint(log: PrometheusLog) -> None:
    """Two checkpoints have the same number. The one whose name sorts last by its bytes is used."""
    log.build_files(c3_s0=[b"alpha"], s4=[b"bravo"])
    log.files["checkpoint.3/00000000"] = bytearray(segment(b"charlie"))
    log.payloads.append(b"charlie")
    log.expect("intact", survivors=[2, 1])


@CHECKPOINTS.damaged(checkpoint_with_replaced_segments, "PRW-004")
def checkpoint_emptied_with_replaced_segments(log: PrometheusLog) -> None:
    """The checkpoint is a file. The segments that it should replace still exist, so a reader uses
    them."""
    log.remove_file(f"{C1}/00000000")
    log.add_file(C1, b"")
    log.overwrite(0, segment(b"yankee"), "00000001")
    log.expect("damaged", "bad-checkpoint", survivors=[b"zulu", b"yankee", 1], end=None)


@CHECKPOINTS.damaged(checkpoint_with_replaced_segments, "PRW-004", "PRW-005", kind="limit")
def checkpoint_renamed_to_a_lower_number(log: PrometheusLog) -> None:
    """The checkpoint now has the number 0, so segment 1, which is torn, is part of the log."""
    log.rename_file(f"{C1}/00000000", "checkpoint.00000000/00000000")
    log.expect("damaged", "unfinished-record", survivors=range(2), end=None)


@CHECKPOINTS.damaged(two_checkpoints, "PRW-004")
def newest_checkpoint_is_a_file(log: PrometheusLog) -> None:
    """The newest checkpoint is a file. The checkpoint before it is used, and segment 3 is
    missing."""
    log.remove_file(f"{C3}/00000000")
    log.add_file(C3, b"checkpoint")
    log.expect("damaged", "bad-checkpoint", survivors=[b"zulu", b"yankee", 1], end=None)


CHECKPOINTS.table(f"""
older_checkpoint_with_a_higher_name: two_checkpoints PRW-004 PRW-002 limit
    The name of the older checkpoint has one digit. By its bytes, it is the last one.
    damage: rename {C1}/00000000 to checkpoint.1/00000000
    expect: intact, survivors 0-1
checkpoint_missing: checkpoint_and_segments PRW-005 limit
    The checkpoint is missing, which a reader cannot detect. Prometheus does not start.
    bug: https://github.com/prometheus/prometheus/issues/6898
    damage: remove {C1}/00000000
    expect: intact, survivors 2 3
checkpoint_without_a_segment_after_it: checkpoint_and_segments PRW-005
    All segments after the checkpoint are missing.
    damage: remove 00000002
    damage: remove 00000003
    expect: damaged missing-segment, survivors 0 1, end none
segment_after_the_checkpoint_missing: checkpoint_and_segments PRW-005
    The first segment after the checkpoint is missing.
    damage: remove 00000002
    expect: damaged missing-segment, survivors 0 1 3, end none
first_segment_of_a_checkpoint_missing: checkpoint_of_two_segments PRW-005
    The first segment of a checkpoint is missing.
    damage: remove {C3}/00000000
    expect: damaged missing-segment, survivors 2 3, end none
last_segment_of_a_checkpoint_missing: checkpoint_of_two_segments PRW-005 limit
    The last segment of a checkpoint is missing, which a reader cannot detect.
    damage: remove {C3}/00000001
    expect: intact, survivors 0 1 3
checkpoint_with_other_files_only: checkpoint_and_segments PRW-004
    The checkpoint is a folder without segments.
    damage: rename {C1}/00000000 to {C1}/00000000.tmp
    expect: damaged bad-checkpoint, survivors 2 3, end none
checkpoint_is_a_file: checkpoint_and_segments PRW-004
    The checkpoint is a file.
    damage: remove {C1}/00000000
    damage: add {C1}: 5555
    expect: damaged bad-checkpoint, survivors 2 3, end none
bit_in_a_checkpoint: checkpoint_of_two_segments PRW-025
    A bit in a checkpoint is flipped. Prometheus deletes the segments and does not start.
    bug: https://github.com/prometheus/prometheus/issues/7530
    damage: flip bit 0 of {C3}/00000000:pages[0].frames[0].data
    expect: damaged checksum-mismatch, survivors 2 3, end none
bit_in_the_padding_of_a_checkpoint: checkpoint_and_segments PRW-022
    A byte in the padding of a checkpoint is set. Nothing is lost.
    damage: write 55 at 32767 in {C1}/00000000
    expect: damaged nonzero-padding, survivors 0-3, end none
checkpoint_torn: checkpoint_of_two_segments PRW-042
    A segment of a checkpoint ends inside a record. This is damage, because a checkpoint gets its
    name only when it is complete.
    damage: truncate at 40000 in {C3}/00000000
    expect: damaged unfinished-record, survivors 0 2 3, end none
last_segment_of_a_checkpoint_torn: checkpoint_of_two_segments PRW-042
    The last segment of a checkpoint ends inside a record.
    damage: truncate at 10 in {C3}/00000001
    expect: damaged unfinished-record, survivors 0 1 3, end none
checkpoint_torn_and_an_empty_segment: checkpoint_and_segments PRW-042 PRW-060
    A checkpoint is torn, and the segments after it are empty. This is damage, although the torn
    record is the last content of the log.
    damage: truncate at 20 in {C1}/00000000
    damage: truncate at 0 in 00000002
    damage: truncate at 0 in 00000003
    expect: damaged unfinished-record, survivors 0, end none
segment_after_a_checkpoint_torn: checkpoint_and_segments PRW-040 PRW-061
    The last segment, which follows a checkpoint, is torn.
    damage: truncate at 10 in 00000003
    expect: torn torn-record, survivors 0-2, end 0
unfinished_checkpoint: checkpoint_and_segments PRW-002 limit
    A crash left an unfinished checkpoint, which is not part of the log.
    damage: add checkpoint.00000002.tmp/00000000: 0100
    expect: intact, survivors 0-3, end 12
replaced_segment_with_two_names: checkpoint_with_replaced_segments PRW-004 PRW-005 limit
    A segment that the checkpoint replaces has two names. A reader ignores both.
    damage: add 1: 0100
    expect: intact, survivors 0-1
""")


CHECKPOINTS.table(f"""
negative_number_in_a_checkpoint: checkpoint_of_two_segments PRW-002 PRW-005
    The segments of a checkpoint have the numbers -1 and 0, but the first number must be 0. Both
    segments are read.
    damage: rename {C3}/00000000 to {C3}/-1
    damage: rename {C3}/00000001 to {C3}/00000000
    expect: damaged missing-segment, survivors 0-3, end none
gap_after_a_negative_number_in_a_checkpoint: checkpoint_of_two_segments PRW-002 PRW-005
    The segments of a checkpoint have the numbers -2 and 0. Both segments are read.
    damage: rename {C3}/00000000 to {C3}/-2
    damage: rename {C3}/00000001 to {C3}/00000000
    expect: damaged missing-segment, survivors 0-3, end none
only_a_checkpoint_without_segments: checkpoint_and_segments PRW-004 PRW-001
    The folder has only a checkpoint without segments. It is not refused.
    damage: remove 00000002
    damage: remove 00000003
    damage: rename {C1}/00000000 to {C1}/00000000.tmp
    expect: damaged bad-checkpoint, no survivors, end none
two_checkpoints_without_segments: two_checkpoints PRW-004 PRW-062
    The newest checkpoint is a folder without segments, and the one before it is a file.
    damage: rename {C3}/00000000 to {C3}/00000000.tmp
    damage: remove {C1}/00000000
    damage: add {C1}: 5555
    expect: damaged bad-checkpoint, survivors "yankee" 1, end none
""")

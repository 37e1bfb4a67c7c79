"""Intact files that cover every header size, layout, hash, compression and state."""

from conformance.recipes.systemd_journal.layouts import four_entries, four_sealed_entries
from conformance.recipes.systemd_journal.log import LAYOUT, SystemdLog


@LAYOUT.valid("SDJ-003", "SDJ-004")
def header_of_208_bytes(log: SystemdLog) -> None:
    """A header of 208 bytes, introduced in systemd 38."""
    four_entries(log, header_size=208)


@LAYOUT.valid("SDJ-003", "SDJ-004")
def header_of_224_bytes(log: SystemdLog) -> None:
    """A header of 224 bytes, introduced in systemd 187."""
    four_entries(log, header_size=224)


@LAYOUT.valid("SDJ-003", "SDJ-004")
def header_of_240_bytes(log: SystemdLog) -> None:
    """A header of 240 bytes, introduced in systemd 189."""
    four_entries(log, header_size=240)


@LAYOUT.valid("SDJ-003", "SDJ-004")
def header_of_256_bytes(log: SystemdLog) -> None:
    """A header of 256 bytes, introduced in systemd 246."""
    four_entries(log, header_size=256)


@LAYOUT.valid("SDJ-003", "SDJ-004")
def header_of_264_bytes(log: SystemdLog) -> None:
    """A header of 264 bytes, introduced in systemd 252."""
    four_entries(log, header_size=264)


@LAYOUT.valid("SDJ-003", "SDJ-004")
def header_of_272_bytes(log: SystemdLog) -> None:
    """A header of 272 bytes, introduced in systemd 254."""
    four_entries(log, header_size=272)


@LAYOUT.valid("SDJ-013", "SDJ-015", "SDJ-021", "SDJ-023")
def regular_jenkins_none(log: SystemdLog) -> None:
    """A regular file with Jenkins hashes, without compression."""
    four_entries(log)


@LAYOUT.valid("SDJ-013", "SDJ-015", "SDJ-021", "SDJ-023", "SDJ-028")
def regular_jenkins_xz(log: SystemdLog) -> None:
    """A regular file with Jenkins hashes, compressed with XZ."""
    four_entries(log, compression="xz")


@LAYOUT.valid("SDJ-013", "SDJ-015", "SDJ-021", "SDJ-023", "SDJ-029")
def regular_jenkins_lz4(log: SystemdLog) -> None:
    """A regular file with Jenkins hashes, compressed with LZ4."""
    four_entries(log, compression="lz4")


@LAYOUT.valid("SDJ-013", "SDJ-015", "SDJ-021", "SDJ-023", "SDJ-030")
def regular_jenkins_zstd(log: SystemdLog) -> None:
    """A regular file with Jenkins hashes, compressed with ZSTD."""
    four_entries(log, compression="zstd")


@LAYOUT.valid("SDJ-013", "SDJ-015", "SDJ-022", "SDJ-023")
def regular_keyed_none(log: SystemdLog) -> None:
    """A regular file with keyed hashes, without compression."""
    four_entries(log, keyed=True)


@LAYOUT.valid("SDJ-013", "SDJ-015", "SDJ-022", "SDJ-023", "SDJ-028")
def regular_keyed_xz(log: SystemdLog) -> None:
    """A regular file with keyed hashes, compressed with XZ."""
    four_entries(log, keyed=True, compression="xz")


@LAYOUT.valid("SDJ-013", "SDJ-015", "SDJ-022", "SDJ-023", "SDJ-029")
def regular_keyed_lz4(log: SystemdLog) -> None:
    """A regular file with keyed hashes, compressed with LZ4."""
    four_entries(log, keyed=True, compression="lz4")


@LAYOUT.valid("SDJ-013", "SDJ-015", "SDJ-022", "SDJ-023", "SDJ-030")
def regular_keyed_zstd(log: SystemdLog) -> None:
    """A regular file with keyed hashes, compressed with ZSTD."""
    four_entries(log, keyed=True, compression="zstd")


@LAYOUT.valid("SDJ-013", "SDJ-015", "SDJ-021", "SDJ-023")
def compact_jenkins_none(log: SystemdLog) -> None:
    """A compact file with Jenkins hashes, without compression."""
    four_entries(log, compact=True)


@LAYOUT.valid("SDJ-013", "SDJ-015", "SDJ-021", "SDJ-023", "SDJ-028")
def compact_jenkins_xz(log: SystemdLog) -> None:
    """A compact file with Jenkins hashes, compressed with XZ."""
    four_entries(log, compact=True, compression="xz")


@LAYOUT.valid("SDJ-013", "SDJ-015", "SDJ-021", "SDJ-023", "SDJ-029")
def compact_jenkins_lz4(log: SystemdLog) -> None:
    """A compact file with Jenkins hashes, compressed with LZ4."""
    four_entries(log, compact=True, compression="lz4")


@LAYOUT.valid("SDJ-013", "SDJ-015", "SDJ-021", "SDJ-023", "SDJ-030")
def compact_jenkins_zstd(log: SystemdLog) -> None:
    """A compact file with Jenkins hashes, compressed with ZSTD."""
    four_entries(log, compact=True, compression="zstd")


@LAYOUT.valid("SDJ-013", "SDJ-015", "SDJ-022", "SDJ-023")
def compact_keyed_none(log: SystemdLog) -> None:
    """A compact file with keyed hashes, without compression."""
    four_entries(log, compact=True, keyed=True)


@LAYOUT.valid("SDJ-013", "SDJ-015", "SDJ-022", "SDJ-023", "SDJ-028")
def compact_keyed_xz(log: SystemdLog) -> None:
    """A compact file with keyed hashes, compressed with XZ."""
    four_entries(log, compact=True, keyed=True, compression="xz")


@LAYOUT.valid("SDJ-013", "SDJ-015", "SDJ-022", "SDJ-023", "SDJ-029")
def compact_keyed_lz4(log: SystemdLog) -> None:
    """A compact file with keyed hashes, compressed with LZ4."""
    four_entries(log, compact=True, keyed=True, compression="lz4")


@LAYOUT.valid("SDJ-013", "SDJ-015", "SDJ-022", "SDJ-023", "SDJ-030")
def compact_keyed_zstd(log: SystemdLog) -> None:
    """A compact file with keyed hashes, compressed with ZSTD."""
    four_entries(log, compact=True, keyed=True, compression="zstd")


@LAYOUT.valid("SDJ-007", "SDJ-053", "SDJ-055")
def online_regular(log: SystemdLog) -> None:
    """An intact regular file in state 1 (online). No writer may continue it."""
    four_entries(log, state=1, header_size=272)


@LAYOUT.valid("SDJ-007", "SDJ-053", "SDJ-055")
def online_compact(log: SystemdLog) -> None:
    """An intact compact file in state 1 (online). No writer may continue it."""
    four_entries(log, state=1, header_size=272, compact=True)


@LAYOUT.valid("SDJ-007", "SDJ-053", "SDJ-055")
def archived_regular(log: SystemdLog) -> None:
    """An intact regular file in state 2 (archived). No writer may continue it."""
    four_entries(log, state=2, header_size=272)


@LAYOUT.valid("SDJ-007", "SDJ-053", "SDJ-055")
def archived_compact(log: SystemdLog) -> None:
    """An intact compact file in state 2 (archived). No writer may continue it."""
    four_entries(log, state=2, header_size=272, compact=True)


@LAYOUT.valid("SDJ-009", "SDJ-059")
def preallocated_space(log: SystemdLog) -> None:
    """4,096 bytes of preallocated space (zeros) follow the last object."""
    four_entries(log, spare=4096)


@LAYOUT.valid("SDJ-018", "SDJ-070", "SDJ-071", "SDJ-072")
def sealed_regular(log: SystemdLog) -> None:
    """A sealed regular file without compatible flag 4, as written before systemd 255."""
    four_sealed_entries(log, continuous=False)


@LAYOUT.valid("SDJ-018", "SDJ-070", "SDJ-071", "SDJ-072")
def sealed_regular_continuous(log: SystemdLog) -> None:
    """A sealed regular file with compatible flag 4 (sealed without gaps)."""
    four_sealed_entries(log, continuous=True, header_size=272)


@LAYOUT.valid("SDJ-018", "SDJ-070", "SDJ-071", "SDJ-072")
def sealed_compact(log: SystemdLog) -> None:
    """A sealed compact file without compatible flag 4, as written before systemd 255."""
    four_sealed_entries(log, continuous=False, compact=True)


@LAYOUT.valid("SDJ-018", "SDJ-070", "SDJ-071", "SDJ-072")
def sealed_compact_continuous(log: SystemdLog) -> None:
    """A sealed compact file with compatible flag 4 (sealed without gaps)."""
    four_sealed_entries(log, continuous=True, header_size=272, compact=True)

"""Folders of segments: names, missing and copied segments, and damage in one segment."""

from conformance.recipes.prometheus_wal.log import (
    FIRST,
    PAGE_SIZE,
    SEGMENTS,
    PrometheusLog,
    frame,
    numbered,
    padded,
    segment,
)

S0, S1, S2 = "00000000", "00000001", "00000002"


@SEGMENTS.valid("PRW-001", "PRW-002", "PRW-017")
def three_segments(log: PrometheusLog) -> None:
    """Three segments of two pages each, with records of different lengths."""
    sizes = (6, 20000, 30000, 7, 40000, 8, 50000, 9)
    records = (b"%d" % n + numbered(size) for n, size in enumerate(sizes))
    log.build(*records, folder=True, segment_size=2 * PAGE_SIZE)
    log.expect("intact", survivors=range(8))


@SEGMENTS.valid("PRW-010", "PRW-061")
def segments_of_restarts(log: PrometheusLog) -> None:
    """Prometheus was started four times. Two segments are empty, and one ends without padding."""
    log.build_files(s0=segment(b"alpha", b"bravo"), s1=b"", s2=padded(segment(b"charlie")), s3=b"")
    log.payloads += [b"alpha", b"bravo", b"charlie"]
    log.expect("intact", survivors=range(3), end=0)


@SEGMENTS.valid("PRW-002", "PRW-005", kind="limit")
def segments_from_seven_on(log: PrometheusLog) -> None:
    """The first segments are missing, and there is no checkpoint, as in an out-of-order log."""
    log.build_files(s7=[b"alpha"], s8=[b"bravo"])
    log.expect("intact", survivors=range(2), end=12)


@SEGMENTS.valid("PRW-002", kind="limit")
def names_of_other_lengths(log: PrometheusLog) -> None:
    """Numbers, not names, determine the order of the segments 9, 000010, +11 and 00000000012."""
    log.files = {}
    for name, text in (("9", b"alpha"), ("000010", b"bravo"), ("+11", b"charlie"),
                       ("00000000012", b"delta")):  # fmt: skip
        log.files[name] = bytearray(segment(text))
        log.payloads.append(text)
    log.expect("intact", survivors=range(4), end=12)


@SEGMENTS.valid("PRW-002", kind="limit")
def negative_number(log: PrometheusLog) -> None:
    """A segment has the number -1, which Go's parser accepts."""
    log.files = {"-1": bytearray(segment(b"alpha")), S0: bytearray(segment(b"bravo"))}
    log.payloads += [b"alpha", b"bravo"]
    log.expect("intact", survivors=range(2))


@SEGMENTS.valid("PRW-001", "PRW-002", kind="limit")
def other_files_in_the_folder(log: PrometheusLog) -> None:
    """Other files and folders are not part of the log."""
    log.build_files(s0=[b"alpha"])
    for name in ("00000001.repair", "checkpoint.00000002.tmp/00000000", "0x00000003", "1_0", "1x",
                 "00000004/00000000", "9223372036854775808", "-9223372036854775809", "checkpoint.x",
                 "1e3"):  # fmt: skip
        log.files[name] = bytearray(segment(b"bravo"))
    log.expect("intact", survivors=[0])


@SEGMENTS.valid("PRW-010", kind="limit")
def only_an_empty_segment(log: PrometheusLog) -> None:
    """The folder contains one empty segment, as after the first start."""
    log.build_files(s0=b"")
    log.expect("intact", end=0)


@SEGMENTS.valid("PRW-017", "PRW-071")
def record_larger_than_a_segment(log: PrometheusLog) -> None:
    """A record is larger than a segment, so its segment exceeds the segment size."""
    log.build(b"alpha", numbered(150_000), b"bravo", folder=True, segment_size=2 * PAGE_SIZE)
    log.expect("intact", survivors=range(3))


@SEGMENTS.damaged(segments_of_restarts, "PRW-042", "PRW-017")
def open_record_in_an_earlier_segment(log: PrometheusLog) -> None:
    """A segment ends after a FIRST, and the next one begins with a FULL."""
    log.extend(frame(FIRST, 0, numbered(PAGE_SIZE - 31)), S0)
    log.expect("damaged", "unfinished-record", survivors=range(3), end=None)


@SEGMENTS.damaged(segments_of_restarts, "PRW-042", "PRW-017")
def fragments_of_two_segments(log: PrometheusLog) -> None:
    """A segment ends after a FIRST, and the next one begins with a LAST. The two fragments are not
    joined."""
    log.extend(frame(FIRST, 0, numbered(PAGE_SIZE - 31)), S0)
    log.insert(0, frame(4, 0, b"delta"), S2)
    log.expect("damaged", "unfinished-record", survivors=range(3), end=None)


@SEGMENTS.damaged(segments_of_restarts, "PRW-042", "PRW-017")
def first_and_a_page_of_zeros_in_an_earlier_segment(log: PrometheusLog) -> None:
    """A segment ends with a FIRST and a page of zeros. Prometheus starts, but every checkpoint
    fails with an error that names the next segment."""
    log.extend(frame(FIRST, 0, numbered(PAGE_SIZE - 31)) + bytes(PAGE_SIZE), S0)
    log.expect("damaged", "unfinished-record", survivors=range(3), end=None)
    log.bug("https://github.com/prometheus/prometheus/issues/18552")
    log.shows("going-on-after-a-torn-record")


@SEGMENTS.damaged(segments_of_restarts, "PRW-061", "PRW-040", kind="eof")
def torn_record_and_an_empty_segment(log: PrometheusLog) -> None:
    """The last segment with content is torn, and an empty segment follows it."""
    log.truncate(13, S2)
    log.expect("torn", "torn-record", survivors=range(2))


@SEGMENTS.damaged(segments_of_restarts, "PRW-041", kind="limit")
def stray_byte_in_an_earlier_segment(log: PrometheusLog) -> None:
    """A byte 01 precedes zeros in a segment that is not the last. It is an empty record, because
    the writer continued in the next segment."""
    log.extend(b"\x01" + bytes(100), S0)
    log.expect("intact", survivors=[0, 1, b"", 2])


SEGMENTS.table(f"""
segment_missing: three_segments PRW-005
    The second segment is missing.
    shows: lost-file
    bug: https://github.com/prometheus/prometheus/issues/6457
    damage: remove {S1}
    expect: damaged missing-segment, survivors 0-3 6 7, end none
first_segment_missing: three_segments PRW-005 limit
    The first segment is missing, which a reader cannot detect.
    damage: remove {S0}
    expect: intact, survivors 4-7
last_segment_missing: three_segments PRW-061 limit
    The last segment is missing, which a reader cannot detect.
    damage: remove {S2}
    expect: intact, survivors 0-5
segment_that_a_repair_left: three_segments PRW-005 PRW-002
    An interrupted repair renamed the second segment. Prometheus does not start.
    bug: https://github.com/prometheus/prometheus/issues/6080
    damage: rename {S1} to {S1}.repair
    expect: damaged missing-segment, survivors 0-3 6 7, end none
segment_renamed: three_segments PRW-005
    The last segment is renamed to number 5.
    damage: rename {S2} to 00000005
    expect: damaged missing-segment, survivors 0-7, end none
segments_swapped: three_segments PRW-005 limit
    The names of two segments are swapped, which a reader cannot detect.
    damage: swap {S0} and {S1}
    expect: intact, survivors 4 5 0-3 6 7
segment_copied: three_segments PRW-005 limit
    A copy of the last segment has the next number. A reader cannot detect the copy.
    damage: add 00000003: [0, 50032) in {S2} of the-log
    expect: intact, survivors 0-7 6 7
segment_with_two_names: three_segments PRW-005
    The second segment exists under two names with the same number. Only one of the two files is
    read.
    damage: add 1: [0, 65536) in {S1} of the-log
    expect: damaged duplicate-segment, survivors 0-7, end none
segment_with_two_short_names: segments_of_restarts PRW-005
    Two files, 2 and 02, have the same number. A reader reads the one whose name sorts first by its
    bytes.
    damage: rename {S2} to 2
    damage: add 02: 0100
    expect: damaged duplicate-segment, survivors 0-1, end none
segment_emptied: three_segments PRW-010 limit
    The second segment is empty, which a reader cannot detect.
    damage: truncate at 0 in {S1}
    expect: intact, survivors 0-3 6 7
segment_zeroed: three_segments PRW-014 limit
    The last segment is zeroed, which a reader cannot detect.
    damage: truncate at 0 in {S2}
    damage: extend by 65536 zero bytes in {S2}
    expect: intact, survivors 0-5, end 0
padding_of_a_segment_cut: segments_of_restarts PRW-010 limit
    A segment ends inside its padding.
    damage: truncate at 1000 in {S2}
    expect: intact, survivors 0-2
bit_in_the_first_segment: three_segments PRW-025 PRW-017 PRW-062
    A bit in the first segment is flipped. All records in other pages and segments are returned.
    bug: https://github.com/prometheus/prometheus/issues/5867
    damage: flip bit 0 of {S0}:pages[0].frames[1].data
    expect: damaged checksum-mismatch, survivors 0 3-7, end none
earlier_segment_torn: three_segments PRW-042
    The first segment ends inside its last record, although other segments follow.
    damage: truncate at 50040 in {S0}
    expect: damaged unfinished-record, survivors 0-2 4-7, end none
earlier_segment_torn_in_a_header: three_segments PRW-042
    The second segment ends inside a header.
    damage: truncate at 40019 in {S1}
    expect: damaged unfinished-record, survivors 0-4 6 7, end none
earlier_segment_torn_with_zeros: three_segments PRW-042
    The first segment is zeroed from a sector boundary in the third record on.
    damage: write 30336 zero bytes at 35200 in {S0}
    expect: damaged unfinished-record, survivors 0 1 4-7, end none
last_segment_torn: three_segments PRW-040 PRW-061
    The last segment ends inside its first record.
    damage: truncate at 20000 in {S2}
    expect: torn torn-record, survivors 0-5, end 0
last_segment_torn_in_a_header: three_segments PRW-040 PRW-061
    The last segment ends inside its second header.
    damage: truncate at 50017 in {S2}
    expect: torn torn-record, survivors 0-6, end 50015
torn_after_a_missing_segment: three_segments PRW-060
    A segment is missing, and the last one is torn. The reason is that of the damage.
    damage: truncate at 50017 in {S2}
    damage: remove {S1}
    expect: damaged missing-segment, survivors 0-3 6, end none
folder_without_segments: segments_from_seven_on PRW-001
    The folder contains only another file.
    damage: remove 00000007
    damage: remove 00000008
    damage: add readme.txt: 55
    expect: refused no-segments, no survivors
old_segment_first: segments_from_seven_on PRW-003
    The first segment has the old format.
    damage: write 43af00ef01000000 at 0 in 00000007
    expect: refused old-format, no survivors
old_segment_second: segments_from_seven_on PRW-003 PRW-023
    The second segment begins with the bytes of the old format. It is read like any other, and its
    page is lost.
    damage: write 43af00ef01000000 at 0 in 00000008
    expect: damaged bad-length, survivors 0, end none
lowest_and_highest_number: three_segments PRW-002 PRW-005
    Two additional segments have the lowest and the highest 64-bit number.
    damage: add -9223372036854775808: 01000578d92f81616c706861
    damage: add 9223372036854775807: 01000578d92f81616c706861
    expect: damaged missing-segment, survivors "alpha" 0-7 "alpha", end none
segment_with_a_sign_in_its_other_name: three_segments PRW-005
    The second segment also exists under the name +1. A reader uses the name with eight digits,
    although it does not sort first by its bytes.
    damage: add +1: [0, 65536) in {S1} of the-log
    expect: damaged duplicate-segment, survivors 0-7, end none
torn_record_and_a_segment_of_zeros: segments_of_restarts PRW-040
    The last segment with content is torn, and a segment of zeros follows it.
    damage: truncate at 13 in {S2}
    damage: extend by 1000 zero bytes in 00000003
    expect: torn torn-record, survivors 0-1
""")


SEGMENTS.table(f"""
segment_copied_after_a_flipped_bit: three_segments PRW-062 PRW-005
    A bit in the first segment is flipped, and the second segment exists under two names.
    damage: flip bit 0 of {S0}:pages[0].frames[1].data
    damage: add 1: [0, 65536) in {S1} of the-log
    expect: damaged checksum-mismatch, survivors 0 3-7, end none
""")


@SEGMENTS.valid("PRW-002", kind="limit")
def segment_with_the_highest_number(log: PrometheusLog) -> None:
    """A segment has the highest 64-bit number."""
    log.files = {"9223372036854775807": bytearray(segment(b"alpha"))}
    log.payloads.append(b"alpha")
    log.expect("intact", survivors=[0], end=12)


SEGMENTS.table("""
highest_number_with_a_sign: segment_with_the_highest_number PRW-005 PRW-002
    The highest number has a second name, with a sign. A reader uses the name that Prometheus
    writes, although it has more than eight digits and does not sort first by its bytes.
    damage: add +9223372036854775807: 0100
    expect: damaged duplicate-segment, survivors 0, end none
""")

"""Offsets and sizes of the hash tables in the header, and links to the tables."""

from conformance.recipes.systemd_journal.layouts import five_entries
from conformance.recipes.systemd_journal.log import FIVE, INDEX, SystemdLog

ALL = range(5)


@INDEX.valid("SDJ-016")
def file_without_tables(log: SystemdLog) -> None:
    """A file has no hash tables, and its header gives no offsets for them. Unused arrays fill the
    space of the tables."""
    log.begin()
    for number, fields in enumerate(FIVE):
        log.entry_at(1700000000000000 + number, fields)
    header = log.made.header
    for offset in (header.data_hash_table_offset - 16, header.field_hash_table_offset - 16):
        log.made.out[offset] = 6
    header.data_hash_table_offset = header.data_hash_table_size = 0
    header.field_hash_table_offset = header.field_hash_table_size = 0
    header.n_entry_arrays += 2
    log.close()
    log.expect("intact", survivors=ALL)


@INDEX.damaged(file_without_tables, "SDJ-016")
def half_a_place_of_a_table(log: SystemdLog) -> None:
    """A file has no hash tables, but its header gives an offset without a size for the DATA table,
    and a size without an offset for the FIELD table."""
    log.set("header.data_hash_table_offset", 4096)
    log.set("header.field_hash_table_size", 64)
    log.expect("damaged", "bad-header", survivors=ALL)


@INDEX.damaged(five_entries, "SDJ-016")
def tables_that_the_header_does_not_name(log: SystemdLog) -> None:
    """A file has both hash tables, but their offsets and sizes in the header are 0."""
    for name in ("data_hash_table", "field_hash_table"):
        log.zero(f"header.{name}_offset")
        log.zero(f"header.{name}_size")
    log.expect("damaged", "bad-header", survivors=ALL)


@INDEX.damaged(five_entries, "SDJ-016")
def data_table_in_place_of_the_field_table(log: SystemdLog) -> None:
    """For the DATA table, the header gives the offset and size of the FIELD table."""
    log.set("header.data_hash_table_offset", log.header.field_hash_table_offset)
    log.set("header.data_hash_table_size", log.header.field_hash_table_size)
    log.expect("damaged", "bad-header", survivors=ALL)


@INDEX.damaged(five_entries, "SDJ-024", "SDJ-094")
def bucket_head_to_its_table(log: SystemdLog) -> None:
    """A bucket points to its own table. The link is a fault, but the table is not lost, because the
    header gives its offset."""
    log.set(f"{log.bucket('PRIORITY=6')}.ofs_head", log.header.data_hash_table_offset - 16)
    log.expect("damaged", "bad-index", survivors=ALL)

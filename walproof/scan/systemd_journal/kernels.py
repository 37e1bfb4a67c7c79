"""All kernels that are called from Python: one module, so that their machine code is one file.

:func:`walproof.scan.stored.ready` gives them without numba, once they were compiled.
"""

from __future__ import annotations

from walproof.scan.systemd_journal.bodies import bodies
from walproof.scan.systemd_journal.cursors import boot_ids, cursors
from walproof.scan.systemd_journal.disjoint import disjoint
from walproof.scan.systemd_journal.entries import fields, gather, numbers, wanted_packed
from walproof.scan.systemd_journal.hashes import hash_whole
from walproof.scan.systemd_journal.hints import entries_of_main_chain, know_links
from walproof.scan.systemd_journal.links import (
    field_lists,
    impostors,
    main_chain,
    seals,
    table,
    unlinked,
)
from walproof.scan.systemd_journal.lists import entries, lists_of_data
from walproof.scan.systemd_journal.matching import having, numbers_at
from walproof.scan.systemd_journal.object_table import excused_at
from walproof.scan.systemd_journal.one_pass import field_lists_hold, lists_hold, table_holds
from walproof.scan.systemd_journal.walk import number_of_name, rank, walk

__all__ = [
    "bodies", "boot_ids", "cursors", "disjoint", "entries", "entries_of_main_chain", "excused_at",
    "field_lists", "field_lists_hold", "fields", "gather", "hash_whole", "having", "impostors",
    "know_links", "lists_hold", "lists_of_data", "main_chain", "number_of_name", "numbers",
    "numbers_at", "rank", "seals", "table", "table_holds", "unlinked", "walk", "wanted_packed",
]  # fmt: skip

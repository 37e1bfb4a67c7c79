"""The options of the data source: for finding and opening logs, and for Spark.

This table defines how option values are parsed, and it is the source of the table in the README.
Options that Spark's own file sources also have are named as in Spark.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from walproof.lake import options as lake
from walproof.lake.option import Option, byte_count, count, flag, one_of, seconds, text_value
from walproof.lake.splits import Packing

PERMISSIVE, DROPMALFORMED, FAILFAST = "PERMISSIVE", "DROPMALFORMED", "FAILFAST"

# The options of every format; each format adds its own (its part ``discovery``).
OPTIONS: Sequence[Option] = (
    *lake.OPTIONS,
    Option(
        "mode",
        "mode",
        one_of(PERMISSIVE, DROPMALFORMED, FAILFAST),
        "`PERMISSIVE`",
        "`PERMISSIVE`: return records and a row for each problem. `DROPMALFORMED`: return records"
        " only. `FAILFAST`: fail the job at the first problem.",
    ),
    Option(
        "columnNameOfCorruptRecord",
        "corrupt_column",
        text_value,
        "`_corrupt_record`",
        "Column for the bytes of a lost range, if you set this option or your schema names it.",
    ),
    Option(
        "ignoreCorruptFiles",
        "ignore_corrupt",
        flag,
        "`false`",
        "Skip unreadable files and refused logs, in every mode.",
    ),
    Option(
        "ignoreMissingFiles",
        "ignore_missing",
        flag,
        "`false`",
        "Skip files that were deleted after they were listed.",
    ),
    Option(
        "maxPartitionBytes",
        "max_partition",
        byte_count,
        "`32m`",
        "Largest partition, where the format can be split.",
    ),
    Option(
        "openCostInBytes",
        "open_cost",
        byte_count,
        "`64k`",
        "Cost of opening a file, as the number of bytes that could be read in that time.",
    ),
    Option(
        "minPartitionNum",
        "min_partitions",
        count,
        "cores of the driver's machine",
        "Minimum number of partitions. Set it to the number of slots in the cluster.",
    ),
    Option(
        "decode",
        "decode",
        flag,
        "`false`",
        "Add the struct `decoded`, the decoded payload (see Decoding).",
    ),
    Option(
        "systemdFields",
        "systemd_fields",
        text_value,
        "none",
        "With `decode`: comma-separated fields of systemd entries (`MESSAGE,_PID`) that become"
        " columns of `decoded`, instead of the map.",
    ),
    Option(
        "maxFilesPerTrigger",
        "max_files",
        count,
        "none",
        "Streaming: maximum number of logs in one batch.",
    ),
    Option(
        "maxBytesPerTrigger",
        "max_trigger",
        byte_count,
        "none",
        "Streaming: maximum bytes of records in one batch. Only its first record may exceed the"
        " limit.",
    ),
    Option(
        "damageAfterSeconds",
        "quiet",
        seconds,
        "`60`",
        "Streaming: report damage at the end of a log once the log is unchanged for this long.",
    ),
    Option(
        "onRewrite",
        "on_rewrite",
        one_of("fail", "restart"),
        "`fail`",
        "Streaming: if a log was truncated or replaced after the stream read it, `fail` fails the"
        " query, and `restart` reads the log again from its start.",
    ),
)


@dataclass(frozen=True)
class Options(lake.Options):
    """The values of :data:`OPTIONS`, the paths, and the settings of the file system."""

    mode: str = PERMISSIVE
    corrupt_column: str | None = None
    ignore_corrupt: bool = False
    ignore_missing: bool = False
    max_partition: int = 32 << 20
    open_cost: int = 64 << 10
    min_partitions: int | None = None
    decode: bool = False
    systemd_fields: str | None = None
    max_files: int | None = None
    max_trigger: int | None = None
    quiet: float = 60.0
    on_rewrite: str = "fail"

    @property
    def corrupt_name(self) -> str:
        """Return the name of the column for the bytes of lost ranges."""
        return self.corrupt_column or "_corrupt_record"

    @property
    def packing(self) -> Packing:
        """Return the sizes of partitions."""
        slots = self.min_partitions or os.cpu_count() or 1
        return Packing(slots, self.max_partition, self.open_cost)

    @property
    def entry_fields(self) -> tuple[str, ...]:
        """Return the requested fields of a systemd entry."""
        return tuple(name.strip() for name in (self.systemd_fields or "").split(",") if name)


def parse(options: Mapping[str, str]) -> Options:
    """Parse the options of a data source. Raises :class:`~walproof.lake.options.BadOption`."""
    return lake.parsed(options, OPTIONS, Options)


def table() -> str:
    """Return the options as a Markdown table, for the README."""
    options = [*OPTIONS, *(option for _, option in lake.of_formats())]
    rows = [f"| `{option.name}` | {option.shown} | {option.doc} |" for option in options]
    return "\n".join(["| option | default | meaning |", "|---|---|---|", *rows])

"""The data source's options. Those that Spark's file sources also have are named as there."""

from __future__ import annotations

import os
from dataclasses import dataclass

from walproof.lake import options as lake
from walproof.lake.option_values import byte_count, count, flag, one_of, seconds, text_value
from walproof.lake.options import option
from walproof.lake.splits import Packing

PERMISSIVE, DROPMALFORMED, FAILFAST = "PERMISSIVE", "DROPMALFORMED", "FAILFAST"


@dataclass(frozen=True)
class Options(lake.Options):
    """Options for finding and opening logs, and for the data source itself."""

    mode: str = option("mode", one_of(PERMISSIVE, DROPMALFORMED, FAILFAST), PERMISSIVE)
    corrupt_column: str | None = option("columnNameOfCorruptRecord", text_value)
    log_rows: bool = option("logRows", flag, False)
    ignore_corrupt: bool = option("ignoreCorruptFiles", flag, False)
    ignore_missing: bool = option("ignoreMissingFiles", flag, False)
    max_partition: int = option("maxPartitionBytes", byte_count, 32 << 20)
    max_files: int | None = option("maxFilesPerTrigger", count)
    max_trigger: int | None = option("maxBytesPerTrigger", byte_count)
    quiet: float = option("damageAfterSeconds", seconds, 60.0)
    on_rewrite: str = option("onRewrite", one_of("fail", "restart"), "fail")

    @property
    def corrupt_name(self) -> str:
        """Return the name of the column for the bytes of lost ranges."""
        return self.corrupt_column or "_corrupt_record"

    @property
    def packing(self) -> Packing:
        """Return the limits for partitions."""
        return Packing(os.cpu_count() or 1, self.max_partition)

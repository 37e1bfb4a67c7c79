"""The options of the data source. Options of Spark's own file sources are named as in Spark."""

from __future__ import annotations

import os
from dataclasses import dataclass

from walproof.lake import options as lake
from walproof.lake.option_values import byte_count, flag, one_of, seconds
from walproof.lake.options import option
from walproof.lake.splits import Packing

PERMISSIVE, DROPMALFORMED, FAILFAST = "PERMISSIVE", "DROPMALFORMED", "FAILFAST"


@dataclass(frozen=True)
class Options(lake.Options):
    """The options for finding and opening logs, and those of the data source."""

    mode: str = option("mode", one_of(PERMISSIVE, DROPMALFORMED, FAILFAST), PERMISSIVE)
    max_partition: int = option("maxPartitionBytes", byte_count, 32 << 20)
    decode: bool = option("decode", flag, False)
    max_trigger: int | None = option("maxBytesPerTrigger", byte_count)
    quiet: float = option("damageAfterSeconds", seconds, 60.0)
    on_rewrite: str = option("onRewrite", one_of("fail", "restart"), "fail")

    @property
    def packing(self) -> Packing:
        """Return the sizes of partitions."""
        return Packing(os.cpu_count() or 1, self.max_partition)

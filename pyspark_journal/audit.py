"""Audit logs with DataFrame code that reads, writes and aggregates rows. Copy what you need."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from pyspark_journal import columns, register

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class Target:
    """A table for Spark to write, either ``table`` or a ``path`` (or URL) in some ``format``."""

    path: str | None = None
    table: str | None = None
    format: str = "parquet"
    mode: str = "errorifexists"
    partition_by: Sequence[str] = ("kind",)

    def read(self, spark: SparkSession) -> DataFrame:
        """Read the table."""
        if self.table is not None:
            return spark.table(self.table)
        return spark.read.format(self.format).load(self.path)


def write(
    spark: SparkSession, options: Mapping[str, str], target: Target, payload: bool = False
) -> None:
    """Read all logs, and write their rows to the target."""
    register(spark)
    rows = spark.read.format("journal").schema(columns(payload)).options(**options).load()
    writer = _with_day(rows, target).write.format(target.format).mode(target.mode)
    writer = writer.partitionBy(*target.partition_by)
    writer.saveAsTable(target.table) if target.table else writer.save(target.path)


def write_new(
    spark: SparkSession,
    options: Mapping[str, str],
    target: Target,
    checkpoint: str,
    payload: bool = False,
) -> None:
    """Read what was added to the logs since the last run, and append its rows to the target."""
    register(spark)
    rows = spark.readStream.format("journal").schema(columns(payload)).options(**options).load()
    writer = _with_day(rows, target).writeStream.format(target.format)
    writer = writer.partitionBy(*target.partition_by).trigger(availableNow=True)
    writer = writer.option("checkpointLocation", checkpoint)
    query = writer.toTable(target.table) if target.table else writer.start(target.path)
    query.awaitTermination()


def _with_day(rows: DataFrame, target: Target) -> DataFrame:
    if "day" not in target.partition_by:
        return rows
    return rows.withColumn("day", F.to_date(F.coalesce("time", "modified")))


def newest(rows: DataFrame) -> DataFrame:
    """Remove rows that are outdated because a log was read again from its start."""
    epochs = rows.where("kind = 'log'").groupBy("log").agg(F.max("epoch").alias("epoch"))
    return rows.join(epochs, ["log", "epoch"], "left_semi")


def logs(rows: DataFrame) -> DataFrame:
    """Combine the rows of kind ``log`` into one row for each log.

    A log that was read in parts or batches has several such rows. If an unreadable part could be
    read later, only the later row counts.
    """
    place = F.struct(F.length("file"), "file", "offset")
    badness = F.expr(
        "CASE verdict WHEN 'refused' THEN 0 WHEN 'damaged' THEN 2 WHEN 'torn' THEN 3"
        " WHEN 'intact' THEN 4 ELSE 1 END"
    )
    severity = F.struct(badness, place)
    last_try = F.struct(F.col("verdict").isNotNull(), F.col("format").isNotNull(), "modified")
    parts = (
        newest(rows)
        .where("kind = 'log'")
        .groupBy("log", "file", "offset")
        .agg(F.max_by(F.struct("*"), last_try).alias("part"))
        .select("part.*")
    )
    return parts.groupBy("log").agg(
        F.max("format").alias("format"),
        F.min_by("verdict", severity).alias("verdict"),
        F.min_by("reason", severity).alias("reason"),
        F.min_by("detail", severity).alias("detail"),
        F.max("size").alias("size"),
        F.max("modified").alias("modified"),
        F.sum("records").alias("records"),
        F.sum("lost_bytes").alias("lost_bytes"),
        F.max("resume_offset").alias("resume_offset"),
    )


def by_verdict(logs: DataFrame) -> DataFrame:
    """Count the logs by format and verdict, and add up their sizes, records and lost bytes."""
    return (
        logs.groupBy("format", "verdict")
        .agg(
            F.count("*").alias("logs"),
            *(F.sum(name).alias(name) for name in ("size", "records", "lost_bytes")),
        )
        .orderBy("format", "verdict")
    )


def losses(rows: DataFrame, *columns: str) -> DataFrame:
    """Count lost ranges and bytes by some columns, starting with the most frequent values."""
    return (
        newest(rows)
        .where("kind = 'lost'")
        .groupBy(*columns)
        .agg(
            F.count("*").alias("ranges"),
            F.sum("length").alias("lost_bytes"),
            F.countDistinct("log").alias("logs"),
        )
        .orderBy(F.desc("ranges"), *columns)
    )


def losses_by_day(rows: DataFrame) -> DataFrame:
    """Return the losses by day, oldest day first. The day is that of a log's last change."""
    days = rows.withColumn("day", F.to_date("modified"))
    return losses(days, "day", "format").orderBy("day", "format")


def worst(logs: DataFrame, count: int) -> DataFrame:
    """Return the logs with the largest losses, and logs that could not be read."""
    damaged = logs.where("lost_bytes > 0 OR verdict = 'refused' OR verdict IS NULL")
    return damaged.orderBy(F.desc("lost_bytes"), "log").limit(count)


def source_options(paths: Sequence[str], options: Mapping[str, str]) -> dict[str, str]:
    """Return the options for the data source in an audit of ``paths``."""
    defaults = {"recursiveFileLookup": "true", "lastFlushedIndex": "meta"}
    return {**defaults, **options, "paths": json.dumps(list(paths)), "logRows": "true"}

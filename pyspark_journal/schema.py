"""The columns of the data source: of one format, of all together, and those a user asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pyarrow as pa

from pyspark_journal.options import Options
from reference_impl.formats import FORMATS
from walproof import decode
from walproof.scan.model import Wanted
from walproof.tables import rows

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

DECODED = "decoded"
NEVER_NULL = frozenset({"file", "kind"})


class BadSchema(ValueError):
    """A column that the source does not have, or has with another type."""


def offered(options: Options) -> pa.Schema:
    """The columns that the source gives with these options when no schema is given.

    With ``auto`` they are those that all formats share, whatever the logs are: the schema of a
    table must not depend on which files happen to be there, and the columns of all formats together
    would be mostly null and cost a third of the speed.
    """
    return _columns(options, () if options.format == "auto" else (options.format,))


def known(options: Options) -> pa.Schema:
    """The columns that a schema may name: with ``auto`` those of every format, too.

    One that has another type in each format (``entry_type``) is text.
    """
    return _columns(options, tuple(FORMATS) if options.format == "auto" else (options.format,))


def _columns(options: Options, formats: Sequence[str]) -> pa.Schema:
    fields = {field.name: field for field in rows.FIXED}
    for format_id in formats:
        for field in rows.schema(format_id):
            before = fields.setdefault(field.name, field)
            if before.type != field.type:
                fields[field.name] = pa.field(field.name, pa.string())
    if options.decode:
        fields[DECODED] = pa.field(DECODED, decoded_type(options))
    if options.corrupt_column is not None:
        name = options.corrupt_column
        if name in fields:
            raise BadSchema(f"journal: columnNameOfCorruptRecord: there is a column {name} already")
        fields[name] = pa.field(name, pa.binary())
    return pa.schema(fields.values())


def decoded_type(options: Options) -> pa.DataType:
    """The struct of ``decode``; with ``auto`` it has one field for each format."""
    if options.format != "auto":
        return decode.type_of(options.format, options.entry_fields)
    return pa.struct(
        (format_id.replace("-", "_"), decode.type_of(format_id, options.entry_fields))
        for format_id in FORMATS
    )


@dataclass(frozen=True)
class Columns:
    """The columns of a query.

    ``target`` is the schema that Spark was told, ``names`` the name of each column here.
    """

    target: pa.Schema
    names: tuple[str, ...]

    def has(self, *names: str) -> bool:
        """Whether any of these columns is asked for."""
        return not set(names).isdisjoint(self.names)

    def wanted(self, format_id: str, options: Options) -> Wanted:
        """What a scanner must look at."""
        columns = frozenset(self.names)
        payload = self.has("payload", "payload_truncated")
        if self.has(DECODED):
            columns |= decode.columns_for(format_id)
            payload = payload or decode.needs_payload(format_id)
        return Wanted(payload, columns, options.max_payload)

    def fit(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """A batch with the columns, in order, of the types that Spark was told."""
        columns = [
            column if column.type == field.type else column.cast(field.type)
            for column, field in zip(batch.columns, self.target, strict=True)
        ]
        return pa.RecordBatch.from_arrays(columns, schema=self.target)


def requested_columns(schema: StructType, options: Options) -> Columns:
    """The columns of the schema that a user gave. Raises :class:`BadSchema`.

    Column names are matched as Spark does, in any case. The schema of the source itself passes.
    """
    from pyspark.sql.pandas.types import to_arrow_schema

    names = {field.name.lower() for field in schema}
    if options.corrupt_name.lower() in names:
        options = replace(options, corrupt_column=options.corrupt_name)
    if DECODED in names:
        options = replace(options, decode=True)
    columns = {field.name.lower(): field for field in known(options)}
    target = to_arrow_schema(schema, timezone="UTC")
    found = []
    for field in target:
        own = columns.get(field.name.lower())
        if own is None:
            raise BadSchema(
                f"journal: column {field.name}: {options.format} has no such column;"
                f" it has {', '.join(one.name for one in columns.values())}"
            )
        if not _same(own.type, field.type):
            raise BadSchema(
                f"journal: column {field.name}: expected {_ddl(own.type)},"
                f" found {_ddl(field.type)} in the schema"
            )
        if not field.nullable and own.name not in NEVER_NULL:
            raise BadSchema(f"journal: column {field.name}: NOT NULL, but it can be null")
        found.append(own.name)
    return Columns(target, tuple(found))


def spark_schema(options: Options) -> StructType:
    """:func:`offered` as Spark says it."""
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(offered(options))


def _ddl(type: pa.DataType) -> str:
    from pyspark.sql.pandas.types import from_arrow_type

    return str(from_arrow_type(type).simpleString())


def _same(one: pa.DataType, other: pa.DataType) -> bool:
    """Whether both are one type to Spark, apart from nullability and names of list items."""
    return _ddl(one) == _ddl(other)

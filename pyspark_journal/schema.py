"""The columns of the data source, for one format, all formats or a user's schema."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pyarrow as pa

from pyspark_journal.options import Options
from reference_impl.formats import FORMATS
from walproof import log_rows
from walproof.scanners.model import Wanted

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

NEVER_NULL = frozenset({"file", "kind"})


class BadSchema(ValueError):
    """Raised if a schema has a column that does not exist, or one of the wrong type."""


def offered(options: Options) -> pa.Schema:
    """Return the source's columns if the user gives no schema.

    With ``auto``, these are the columns that all formats share, because a schema must not depend on
    which files exist.
    """
    common = log_rows.OF_LOGS if options.log_rows else ()
    return _columns(options, [] if options.format == "auto" else [options.format], common)


def known(options: Options) -> pa.Schema:
    """Return the columns that a user's schema may contain, for one or (``auto``) all formats."""
    formats = FORMATS if options.format == "auto" else [options.format]
    return _columns(options, formats, log_rows.OF_LOGS)


def _columns(options: Options, formats: Iterable[str], of_logs: Iterable[pa.Field]) -> pa.Schema:
    fields = {field.name: field for field in (*log_rows.schema(*formats), *of_logs)}
    name = options.corrupt_column
    if name is not None:
        if name.lower() in fields:
            raise BadSchema(f"journal: columnNameOfCorruptRecord: there is already a column {name}")
        fields[name] = pa.field(name, pa.binary())
    return pa.schema(fields.values())


@dataclass(frozen=True)
class Columns:
    """The columns of a query, with their schema in Spark and their names in this package."""

    target: pa.Schema
    names: tuple[str, ...]

    def has(self, *names: str) -> bool:
        """Return whether any of these columns is requested."""
        return not set(names).isdisjoint(self.names)

    def needed(self, options: Options) -> Wanted:
        """Return the data that a scanner must read."""
        payload = self.has("payload", "payload_truncated")
        names = frozenset(self.names) | ({"realtime"} if self.has("time") else frozenset())
        return Wanted(payload, names, options.max_payload)


def requested_columns(schema: StructType, options: Options) -> Columns:
    """Return the columns of a user's schema. Raises :class:`BadSchema`."""
    from pyspark.sql.pandas.types import to_arrow_schema

    names = {field.name.lower() for field in schema}
    if options.corrupt_name.lower() in names:
        options = replace(options, corrupt_column=options.corrupt_name)
    columns = {field.name.lower(): field for field in known(options)}
    target = to_arrow_schema(schema, timezone="UTC")
    chosen = []
    for field in target:
        column = columns.get(field.name.lower())
        if column is None:
            raise BadSchema(
                f"journal: column {field.name}: {options.format} has no such column;"
                f" it has {', '.join(available.name for available in columns.values())}"
            )
        if not _same(column.type, field.type):
            raise BadSchema(
                f"journal: column {field.name}: expected {_ddl(column.type)},"
                f" found {_ddl(field.type)} in the schema"
            )
        if not field.nullable and column.name not in NEVER_NULL:
            raise BadSchema(
                f"journal: column {field.name}: declared NOT NULL, but values can be null"
            )
        chosen.append(column.name)
    return Columns(target, tuple(chosen))


def _ddl(type: pa.DataType) -> str:
    from pyspark.sql.pandas.types import from_arrow_type

    return str(from_arrow_type(type).simpleString())


def _same(first: pa.DataType, second: pa.DataType) -> bool:
    """Return whether two types are equal in Spark, apart from nullability and list item names."""
    return _ddl(first) == _ddl(second)

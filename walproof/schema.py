"""Types of columns and structs as plain data, so that declaring them does not import pyarrow.

=====================  ======================================
schema                 Arrow type
=====================  ======================================
``"int64"``            the type with this name
``{"name": schema}``   a struct
``[schema]``           a list
``(schema, schema)``   a map
=====================  ======================================
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

Struct = Mapping[str, Any]
Schema = str | Struct | list[Any] | tuple[Any, Any]


def arrow_type(schema: Schema) -> pa.DataType:
    """Return the Arrow type of a schema."""
    # pyarrow belongs to an extra; declaring a schema works without pyarrow.
    import pyarrow as pa

    match schema:
        case str():
            return pa.type_for_alias(schema)
        case [element]:
            return pa.list_(arrow_type(element))
        case Mapping():
            return pa.struct([(name, arrow_type(member)) for name, member in schema.items()])
    key, value = schema
    return pa.map_(arrow_type(key), arrow_type(value))


def with_nulls(value: Any, schema: Schema) -> Any:
    """Return a value with a None for each missing member of a struct."""
    if value is None:
        return None
    if isinstance(schema, Mapping):
        return {name: with_nulls(value.get(name), member) for name, member in schema.items()}
    return [with_nulls(each, schema[0]) for each in value] if isinstance(schema, list) else value

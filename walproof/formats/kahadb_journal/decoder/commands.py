"""Tables of the broker's commands and their protobuf fields.

Upstream authority: apache/activemq c3580e7 (6.x)
``activemq-kahadb-store/src/main/proto/journal-data.proto``.
"""

from __future__ import annotations

from collections.abc import Mapping

from walproof.formats.kahadb_journal.decoder.protobuf import (
    Fields,
    boolean,
    fields,
    integer,
    nested,
    octets,
    string,
)

_DESTINATION = nested("destination", fields((1, integer("type")), (2, string("name"))))
# Both fields of a local transaction have the number 1; their wire types differ.
_LOCAL = fields((1, string("connection_id")), (1, integer("transaction_id")))
_XA = fields(
    (1, integer("format_id")), (2, octets("branch_qualifier")), (3, octets("global_transaction_id"))
)
_LOCATION = fields((1, integer("log_id")), (2, integer("offset")))
_TRANSACTION = nested(
    "transaction",
    fields(
        (1, nested("local", _LOCAL)), (2, nested("xa", _XA)), (3, nested("previous", _LOCATION))
    ),
)
_ADD = fields(
    (1, _TRANSACTION),
    (2, _DESTINATION),
    (3, string("message_id")),
    (4, octets("data")),
    (5, integer("priority")),
    (6, boolean("priority_supported")),
)
_JOB = ((1, string("scheduler")), (2, string("job_id")))

#: Fields of each command. ``data`` is the message, its acknowledgement or other opaque bytes.
COMMANDS: Mapping[int, Fields] = {
    0: fields((1, octets("data"))),
    1: _ADD,
    2: fields(
        (1, _TRANSACTION),
        (2, _DESTINATION),
        (3, string("message_id")),
        (4, octets("data")),
        (5, string("subscription")),
    ),
    3: fields((1, _TRANSACTION)),
    4: fields((1, _TRANSACTION)),
    5: fields((1, _TRANSACTION)),
    6: fields((1, _DESTINATION)),
    7: fields(
        (1, _DESTINATION),
        (2, string("subscription")),
        (3, boolean("retroactive")),
        (4, octets("data")),
    ),
    8: fields((1, octets("data"))),
    9: fields((1, octets("data"))),
    10: fields((1, nested("message", _ADD))),
    11: fields(
        *_JOB,
        (3, integer("start_time")),
        (4, string("cron_entry")),
        (5, integer("delay")),
        (6, integer("period")),
        (7, integer("repeat")),
        (8, octets("data")),
        (9, integer("next_execution_time")),
    ),
    12: fields(
        *_JOB,
        (3, integer("execution_time")),
        (4, integer("next_execution_time")),
        (5, integer("rescheduled_count")),
    ),
    13: fields(*_JOB, (3, integer("next_execution_time"))),
    14: fields((1, string("scheduler")), (2, integer("start_time")), (3, integer("end_time"))),
    15: fields((1, string("scheduler"))),
    16: fields(
        (1, integer("source_data_file_id")),
        (2, integer("rewrite_type")),
        (3, boolean("skip_if_source_exists")),
    ),
}

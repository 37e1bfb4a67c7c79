"""Numbers, byte layouts and file names that Zeebe's journals use.

Upstream authority: camunda/zeebe ``journal/file/SegmentDescriptorSerializer.java``,
``journal/record/SBESerializer.java`` and their SBE schema.
"""

from __future__ import annotations

import re
import struct

# ZBJ-005: block length, template, schema, version
SBE_HEADER = struct.Struct("<HHHH")
JOURNAL_SCHEMA = 7
RECORD_METADATA, RECORD_DATA, SEGMENT_DESCRIPTOR, DESCRIPTOR_METADATA = 1, 2, 3, 4  # templates
# ZBJ-015: checksum, length of the data message
METADATA_BLOCK = struct.Struct("<qi")
DATA_BLOCK = struct.Struct("<qq")  # ZBJ-015: index, asqn
# ZBJ-006: id, index, maximum segment size
DESCRIPTOR_BLOCK = struct.Struct("<qqi")
SEAL = struct.Struct("<qi")  # ZBJ-013: last index, last position
EOF_FRAME, RECORD_FRAME = b"\0", b"\1"  # ZBJ-016
NO_ASQN = -1
NEWEST_SCHEMA_VERSION = 2
# ZBJ-001. Python decodes file name bytes that are not UTF-8 as surrogates, which do not match.
SEGMENT_NAME = re.compile(r"(?P<name>[^\ud800-\udfff]+)-(?P<id>[1-9][0-9]*)\.log")
FIRST_ID = 1
# The largest segment number, and the largest segment size in bytes (ZBJ-001, ZBJ-049).
LARGEST_INT = 2**31 - 1
SMALLEST_INDEX = -(2**63)  # ZBJ-005: indexes are signed
# The largest index, and the largest asqn (ZBJ-023, ZBJ-053).
LARGEST_INDEX = 2**63 - 1
# The size of a record with an empty payload, and of its data message, in bytes (ZBJ-015, ZBJ-025).
RECORD_OVERHEAD, SMALLEST_DATA = 49, 28

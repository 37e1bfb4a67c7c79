"""Numbers, byte layouts and file names that Zeebe's journals use.

Upstream authority: camunda/zeebe ``journal/file/SegmentDescriptorSerializer.java``,
``journal/record/SBESerializer.java`` and their SBE schema.
"""

from __future__ import annotations

import re
import struct

# The fields are a block length, a template, a schema and a version (ZBJ-005).
SBE_HEADER = struct.Struct("<HHHH")
JOURNAL_SCHEMA = 7
RECORD_METADATA, RECORD_DATA, SEGMENT_DESCRIPTOR, DESCRIPTOR_METADATA = 1, 2, 3, 4
# The fields are a checksum and the length of the data message (ZBJ-015).
METADATA_BLOCK = struct.Struct("<qi")
DATA_BLOCK = struct.Struct("<qq")  # The fields are an index and an asqn (ZBJ-015).
# The fields are an id, an index and the maximum segment size (ZBJ-006).
DESCRIPTOR_BLOCK = struct.Struct("<qqi")
SEAL = struct.Struct("<qi")  # The fields are the last index and the last position (ZBJ-013).
EOF_FRAME, RECORD_FRAME = b"\0", b"\1"  # ZBJ-016
NO_ASQN = -1
NEWEST_SCHEMA_VERSION = 2
# Segments have such names (ZBJ-001). Python decodes bytes that are not UTF-8 as surrogates, which
# do not match.
SEGMENT_NAME = re.compile(r"(?P<name>[^\ud800-\udfff]+)-(?P<id>[1-9][0-9]*)\.log")
FIRST_ID = 1
# This number limits the number of a segment and its size in bytes (ZBJ-001, ZBJ-049).
LARGEST_INT = 2**31 - 1
SMALLEST_INDEX = -(2**63)  # Indexes are signed (ZBJ-005).
# This number limits the index and the asqn (ZBJ-023, ZBJ-053).
LARGEST_INDEX = 2**63 - 1
# A record with an empty payload, and its data message, have these sizes in bytes (ZBJ-015,
# ZBJ-025).
RECORD_OVERHEAD, SMALLEST_DATA = 49, 28

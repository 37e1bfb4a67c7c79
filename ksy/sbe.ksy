# SPDX-License-Identifier: CC0-1.0
meta:
  id: sbe
  title: Simple Binary Encoding, the parts that Zeebe uses
  license: CC0-1.0
  ks-version: 0.11
  endian: le
doc: |
  Headers and composites of Simple Binary Encoding (SBE) as the schemas of
  Zeebe's journal (id 7) and raft (id 8) define them. A message is a header, a
  root block of `len_block` bytes, then its groups and its variable data. A
  newer writer may write a longer block; a reader skips what follows the known
  fields.
doc-ref:
  - spec/zeebe-journal.md ZBJ-005
  - https://github.com/camunda/camunda/blob/main/zeebe/protocol/src/main/resources/common-types.xml
types:
  message_header:
    -orig-id: messageHeader
    doc: Header of a message, 8 bytes.
    doc-ref: spec/zeebe-journal.md ZBJ-005
    seq:
      - id: len_block
        -orig-id: blockLength
        -requirement: ZBJ-005
        type: u2
        doc: Length of the root block after the header.
      - id: template_id
        -orig-id: templateId
        -requirement: ZBJ-005
        type: u2
        doc: Which message of the schema this is.
      - id: schema_id
        -orig-id: schemaId
        -requirement: ZBJ-005
        type: u2
        doc: 7 for the journal, 8 for raft.
      - id: version
        -requirement: ZBJ-005
        type: u2
        doc: Version of the schema that the writer knew; readers do not check it.
  group_header:
    -orig-id: groupSizeEncoding
    doc: Header of a group, 3 bytes.
    doc-ref: spec/zeebe-journal.md ZBJ-057
    seq:
      - id: len_block
        -orig-id: blockLength
        -requirement: ZBJ-057
        type: u2
        doc: Length of the block of each element, without its variable data.
      - id: num_in_group
        -orig-id: numInGroup
        -requirement: ZBJ-057
        type: u1
        doc: Number of elements.

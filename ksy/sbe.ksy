# SPDX-License-Identifier: CC0-1.0
meta:
  id: sbe
  title: Simple Binary Encoding, the parts that Zeebe uses
  license: CC0-1.0
  ks-version: 0.11
  endian: le
doc: |
  Headers and composites of Simple Binary Encoding (SBE), as defined by the
  schemas of Zeebe's journal (id 7) and raft (id 8). A message has a header, a
  root block of `len_block` bytes, then groups and variable data. A newer
  writer may write a longer block. Readers skip the bytes of the block after
  the known fields.
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
        doc: Length of the root block after the header, in bytes.
      - id: template_id
        -orig-id: templateId
        -requirement: ZBJ-005
        type: u2
        doc: Id of the message within the schema.
      - id: schema_id
        -orig-id: schemaId
        -requirement: ZBJ-005
        type: u2
        doc: 'Id of the schema: 7 for the journal, 8 for raft.'
      - id: version
        -requirement: ZBJ-005
        type: u2
        doc: Version of the schema that the writer used. Readers do not check this version.
  group_header:
    -orig-id: groupSizeEncoding
    doc: Header of a group, 3 bytes.
    doc-ref: spec/zeebe-journal.md ZBJ-057
    seq:
      - id: len_block
        -orig-id: blockLength
        -requirement: ZBJ-057
        type: u2
        doc: Length of the block of each element in bytes, without the variable data of the element.
      - id: num_in_group
        -orig-id: numInGroup
        -requirement: ZBJ-057
        type: u1
        doc: Number of elements in the group.

# SPDX-License-Identifier: CC0-1.0
meta:
  id: zeebe_segment
  title: Segment of a Zeebe journal (raft log of Camunda 8)
  application: Zeebe
  file-extension: log
  tags:
    - database
    - log
  license: CC0-1.0
  ks-version: 0.11
  imports:
    - sbe
  endian: le
# `.as<s8>` below converts both operands to the same type, because Go does not
# mix integer types. Go is also the reason why `?:` replaces `and` where the
# second operand must be evaluated only if the first one is true. In
# `repeat-until`, the value of `_index` depends on the language, so the size of
# the array is used instead.
doc: |
  A segment file of the journal in which a Zeebe broker stores its raft log.
  The file has a descriptor, then records without gaps, up to a frame byte of 0
  or the end of the file. A record is a frame byte and two SBE messages. Its
  payload is a raft log entry, which this grammar describes down to the members
  of its groups.

  This grammar describes the structure and does not check any values. It
  accepts every input, even a file that is damaged, cut short or of another
  format. A field that does not fit is absent, and a length that is too large
  is clamped (`is_truncated`). Checksums are exposed with the bytes that they
  cover (`checksum_input`) but not verified. The list of records ends where the
  start of the next record cannot be determined. `doc-ref` names the chapter
  that defines the expected result of reading a file.
doc-ref:
  - spec/zeebe-journal.md
  - https://github.com/camunda/camunda/tree/main/zeebe/journal/src/main
seq:
  - id: descriptor
    -orig-id: SegmentDescriptor
    -requirement:
      - ZBJ-006
      - ZBJ-006
      - ZBJ-006
    type: descriptor
    doc: The descriptor, which holds the number of the segment and the index of its first record.
    doc-ref: spec/zeebe-journal.md ZBJ-006 to ZBJ-013
  - id: records
    -requirement:
      - ZBJ-015
      - ZBJ-020
    type: record(_io.pos)
    repeat: until
    repeat-until: _.is_last
    if: 'has_records ? not _io.eof : false'
    doc: |
      Records in file order, up to a frame byte of 0. Lengths after damage are
      unreliable, so records after damage may be garbage.
    doc-ref: spec/zeebe-journal.md ZBJ-015
  - id: unused
    -requirement:
      - ZBJ-016
      - ZBJ-022
    size-eos: true
    doc: |
      The rest of the file, from the frame byte 0 on. It is all zeros in a new
      segment. Readers ignore it.
    doc-ref: spec/zeebe-journal.md ZBJ-022
instances:
  has_records:
    value: 'descriptor.is_whole ? (descriptor.len.as<s8> < _io.size.as<s8> ? first_frame != 0 : false) : false'
    doc: True if a record follows the descriptor. If false, `records` is absent.
  first_frame:
    pos: descriptor.len.as<s8>
    type: u1
    if: descriptor.len.as<s8> < _io.size.as<s8>
    doc: The frame byte of the first record.
types:
  descriptor:
    -checksum:
      algorithm: crc-32c
      field: metadata.checksum
      covers: segment
    doc: |
      The descriptor at the start of a segment. It is 29 bytes long in version 1,
      45 bytes in version 2 with SBE version 1, 57 bytes in version 2 with SBE
      version 2, and may be longer in future versions.
    doc-ref: spec/zeebe-journal.md ZBJ-006 to ZBJ-010
    seq:
      - id: version
        -requirement: ZBJ-011
        type: u1
        if: _io.size.as<s8> >= 1
        doc: Version of the descriptor, 1 or 2. Only version 2 has a checksum.
      - id: metadata
        -orig-id: DescriptorMetadata
        -requirement:
          - ZBJ-006
          - ZBJ-009
        type: descriptor_metadata
        if: has_metadata
        doc: The message with the checksum of the next message; only in version 2.
      - id: segment
        -orig-id: SegmentDescriptor
        -requirement:
          - ZBJ-006
          - ZBJ-009
        type: descriptor_segment
        if: 'has_version ? _io.size.as<s8> - _io.pos.as<s8> >= 28 : false'
        doc: The message with the number and the first index of the segment.
    instances:
      has_version:
        value: '_io.size.as<s8> >= 1 ? (version == 1 or version == 2) : false'
        doc: True if the version is 1 or 2.
      has_metadata:
        value: 'has_version ? (version == 2 and _io.size.as<s8> >= 17) : false'
        doc: True if the version is 2 and the file is long enough for the checksum.
      header_1:
        pos: 1
        type: sbe::message_header
        if: _io.size.as<s8> >= 9
        doc: The first message header, in both versions.
      ofs_segment:
        value: '_io.size.as<s8> >= 17 ? (version == 2 ? (9 + header_1.len_block.as<s8>).as<s8> : 1.as<s8>).as<s8> : 1.as<s8>'
        doc: Offset of the SegmentDescriptor message.
      header_2:
        pos: ofs_segment.as<s8>
        type: sbe::message_header
        if: ofs_segment.as<s8> + 8 <= _io.size.as<s8>
        doc: The header of the SegmentDescriptor message.
      len:
        value: 'ofs_segment.as<s8> + 8 <= _io.size.as<s8> ? (version == 1 ? 29.as<s8> : ((ofs_segment.as<s8> + 8).as<s8> + header_2.len_block.as<s8>).as<s8>).as<s8> : 0.as<s8>'
        doc: Length of the descriptor in bytes, which is also the offset of the first record.
      is_whole:
        -requirement: ZBJ-040
        value: 'has_version ? (_io.size.as<s8> >= 29 ? (len.as<s8> >= 29 and (version == 1 or ofs_segment.as<s8> >= 17) ? len.as<s8> <= _io.size.as<s8> : false) : false) : false'
        doc: True if the file contains the whole descriptor.
      checksum_input:
        -requirement: ZBJ-009
        pos: ofs_segment.as<s8>
        # Never negative: if is_whole is true, len is at least 29 and not below ofs_segment + 8.
        size: len.as<s8> - ofs_segment.as<s8>
        if: is_whole
        doc: The bytes that `metadata.checksum` covers.
  descriptor_metadata:
    -orig-id: DescriptorMetadata
    doc: Message with the checksum of the descriptor.
    doc-ref: spec/zeebe-journal.md ZBJ-009
    seq:
      - id: header
        -requirement: ZBJ-005
        type: sbe::message_header
        doc: Message header with schema 7 and template 4.
      - id: checksum
        -requirement: ZBJ-009
        type: s8
        doc: CRC-32C of `checksum_input`, extended with zeros to 64 bits.
      - id: newer_fields
        -requirement: ZBJ-010
        size: 'header.len_block.as<s8> - 8 > _io.size.as<s8> - _io.pos.as<s8> ? (_io.size.as<s8> - _io.pos.as<s8>).as<s8> : (header.len_block.as<s8> - 8).as<s8>'
        if: header.len_block.as<s8> > 8
        doc: Fields of a newer version, which readers skip.
  descriptor_segment:
    -orig-id: SegmentDescriptor
    doc: Message with the number, the first index and the maximum size of the segment.
    doc-ref: spec/zeebe-journal.md ZBJ-006 to ZBJ-013
    seq:
      - id: header
        -requirement: ZBJ-005
        type: sbe::message_header
        doc: Message header with schema 7 and template 3.
      - id: id
        -requirement: ZBJ-002
        type: s8
        doc: Number of the segment. Readers use the number in the file name instead.
      - id: index
        -requirement: ZBJ-023
        type: s8
        doc: Index of the first record in the segment.
      - id: max_segment_size
        -orig-id: maxSegmentSize
        -requirement: ZBJ-012
        type: s4
        doc: Maximum size of the segment in bytes, which is the intended length of the file.
      - id: last_index
        -orig-id: lastIndex
        -requirement: ZBJ-013
        type: s8
        if: has_seal
        doc: Index of the last record if the segment is sealed, otherwise 0.
      - id: last_position
        -orig-id: lastPosition
        -requirement: ZBJ-013
        type: s4
        if: has_seal
        doc: Offset of the last record if the segment is sealed, otherwise 0.
      - id: newer_fields
        -requirement: ZBJ-010
        size: 'len_newer.as<s8> > _io.size.as<s8> - _io.pos.as<s8> ? (_io.size.as<s8> - _io.pos.as<s8>).as<s8> : len_newer.as<s8>'
        if: len_newer.as<s8> > 0
        doc: Fields of a newer version, which readers skip.
    instances:
      has_seal:
        # The offset 57 matters if the metadata are too short, ofs_segment + 40 if the metadata have more fields.
        value: '_parent.version == 2 and header.len_block.as<s8> >= 32 and header.version >= 2 and _io.size.as<s8> >= 57 ? _parent.ofs_segment.as<s8> + 40 <= _io.size.as<s8> : false'
        doc: |
          True if the descriptor has version 2, the message has SBE version 2 or
          later, and the block and the file are long enough for `last_index` and
          `last_position`.
      len_newer:
        value: '_parent.version == 2 ? (header.len_block.as<s8> - (has_seal ? 32.as<s8> : 20.as<s8>).as<s8>).as<s8> : 0.as<s8>'
        doc: Number of bytes in the block after the known fields.
  record:
    -orig-id: JournalRecord
    -checksum:
      algorithm: crc-32c
      field: metadata.checksum
      covers: data
      unless: is_truncated
    doc: 'A record: 49 bytes and the payload in current versions.'
    doc-ref: spec/zeebe-journal.md ZBJ-015
    params:
      - id: ofs_record
        type: s8
        doc: Offset of the frame byte in the file.
    seq:
      - id: frame
        -requirement: ZBJ-016
        type: u1
        doc: |
          Frame byte, always 1 in a valid record. A frame byte of 0 begins
          `unused` instead of a record.
      - id: metadata
        -orig-id: RecordMetadata
        -requirement: ZBJ-015
        type: record_metadata
        if: has_metadata
        doc: Message with the checksum and the length of the data message.
      - id: data
        -orig-id: RecordData
        -requirement: ZBJ-015
        size: len_data.as<s8>
        type: record_data
        if: has_metadata
        doc: The data message. It is shorter than `metadata.len_data` if the file ends inside it.
      - id: rest
        -requirement: ZBJ-025
        size-eos: true
        if: not has_metadata
        doc: The start of a record that is cut off by the end of the file.
    instances:
      len_available:
        value: _io.size.as<s8> - ofs_record.as<s8>
        doc: Number of bytes from the frame byte to the end of the file.
      has_metadata:
        -requirement: ZBJ-025
        value: 'len_available.as<s8> >= 21 ? peeked.len_block.as<s8> + 9 <= len_available.as<s8> : false'
        doc: True if the file is long enough for the frame byte and the metadata.
      peeked:
        pos: ofs_record.as<s8> + 1
        type: sbe::message_header
        if: len_available.as<s8> >= 21
        doc: The header of the metadata, read before the metadata are parsed.
      len_metadata:
        value: '8 + (peeked.len_block.as<s8> < 12 ? 12.as<s8> : peeked.len_block.as<s8>).as<s8>'
        if: len_available.as<s8> >= 21
        doc: Length of the metadata in bytes, including its header.
      len_behind:
        value: (len_available.as<s8> - 1).as<s8> - len_metadata.as<s8>
        if: len_available.as<s8> >= 21
        doc: Number of bytes from the end of the metadata to the end of the file.
      is_truncated:
        -requirement: ZBJ-025
        value: 'has_metadata ? metadata.len_data.as<s8> > len_behind.as<s8> or metadata.len_data.as<s8> < 0 : true'
        doc: |
          True if the length of the data message is negative or extends beyond
          the end of the file, or if the metadata do not fit into the file.
      len_data:
        value: 'metadata.len_data.as<s8> < 0 ? 0.as<s8> : (is_truncated ? len_behind.as<s8> : metadata.len_data.as<s8>).as<s8>'
        if: has_metadata
        doc: Length of `data` in bytes.
      checksum_input:
        -requirement:
          - ZBJ-017
          - ZBJ-025
        pos: (ofs_record.as<s8> + 1).as<s8> + len_metadata.as<s8>
        size: len_data.as<s8>
        if: has_metadata
        doc: 'The bytes that `metadata.checksum` covers: the whole data message.'
      ofs_next:
        value: 'has_metadata ? (((ofs_record.as<s8> + 1).as<s8> + len_metadata.as<s8>).as<s8> + len_data.as<s8>).as<s8> : _io.size.as<s8>'
        doc: Offset of the first byte after the record.
      next_frame:
        pos: ofs_next.as<s8>
        type: u1
        if: ofs_next.as<s8> < _io.size.as<s8>
        doc: The frame byte directly after the record.
      is_last:
        -requirement:
          - ZBJ-016
          - ZBJ-020
        value: 'is_truncated ? true : (peeked.template_id != 1 or peeked.schema_id != 7 ? true : (ofs_next.as<s8> < _io.size.as<s8> ? next_frame == 0 : true))'
        doc: True if no record follows, or if the start of the next record cannot be determined.
  record_metadata:
    -orig-id: RecordMetadata
    doc: Message with the checksum and the length of the data message.
    doc-ref: spec/zeebe-journal.md ZBJ-015
    seq:
      - id: header
        -requirement: ZBJ-005
        type: sbe::message_header
        doc: Message header with schema 7 and template 1.
      - id: checksum
        -requirement: ZBJ-017
        type: s8
        doc: CRC-32C of `checksum_input`, extended with zeros to 64 bits.
      - id: len_data
        -orig-id: length
        -requirement: ZBJ-018
        type: s4
        doc: Length of the data message in bytes, including its header.
      - id: newer_fields
        -requirement: ZBJ-005
        size: header.len_block.as<s8> - 12
        if: header.len_block.as<s8> > 12
        doc: Fields of a newer version, which readers skip.
  record_data:
    -orig-id: RecordData
    doc: The data message, with the index, the asqn and the payload of the record.
    doc-ref: spec/zeebe-journal.md ZBJ-015
    seq:
      - id: header
        -requirement: ZBJ-005
        type: sbe::message_header
        if: is_whole
        doc: Message header with schema 7 and template 2.
      - id: index
        -requirement: ZBJ-023
        type: s8
        if: is_whole
        doc: 'Index of the record: the index of the previous record plus 1.'
      - id: asqn
        -requirement: ZBJ-024
        type: s8
        if: is_whole
        doc: Application sequence number of the record, or -1 for none.
      - id: newer_fields
        -requirement: ZBJ-005
        # Never negative: if is_whole is true, the message is at least 28 bytes long, and 24 bytes precede this field.
        size: 'len_newer.as<s8> > (_io.size.as<s8> - _io.pos.as<s8>).as<s8> - 4 ? ((_io.size.as<s8> - _io.pos.as<s8>).as<s8> - 4).as<s8> : len_newer.as<s8>'
        if: 'is_whole ? len_newer.as<s8> > 0 : false'
        doc: Fields of a newer version, which readers skip.
      - id: len_entry
        -orig-id: data.length
        -requirement: ZBJ-018
        type: u4
        if: is_whole
        doc: Length of the payload in bytes.
      - id: entry
        -orig-id: RaftLogEntry
        -requirement:
          - ZBJ-018
          - ZBJ-054
        size: 'is_truncated ? (_io.size.as<s8> - _io.pos.as<s8>).as<s8> : len_entry.as<s8>'
        type: raft_log_entry
        if: is_whole
        doc: The payload of the record.
      - id: rest
        -requirement: ZBJ-025
        size-eos: true
        if: not _io.eof
        doc: |
          Bytes after the payload in the data message, or the whole message if
          it is too short for the known fields. Absent in an undamaged record
          of SBE version 1 or 2.
    instances:
      is_whole:
        -requirement: ZBJ-025
        value: _io.size.as<s8> >= 28
        doc: |
          True if the data message is long enough for the known fields and the
          length of the payload.
      len_newer:
        value: 'is_whole ? (header.len_block.as<s8> - 16).as<s8> : 0.as<s8>'
        doc: Number of bytes between the known fields and the length of the payload.
      len_room:
        value: _io.size.as<s8> - 28
        doc: Number of bytes after the known fields and the length of the payload.
      len_skipped:
        value: 'len_newer.as<s8> > len_room.as<s8> ? len_room.as<s8> : (len_newer.as<s8> > 0 ? len_newer.as<s8> : 0.as<s8>).as<s8>'
        doc: Length of `newer_fields` in bytes; 0 if `newer_fields` is absent.
      is_truncated:
        -requirement: ZBJ-025
        value: 'is_whole ? len_entry.as<s8> > (len_room.as<s8> - len_skipped.as<s8>).as<s8> : false'
        doc: True if the payload extends beyond the end of the data message.
  raft_log_entry:
    -orig-id: RaftLogEntry
    -labels:
      - type
    doc: 'The payload of a record: an entry of the raft log.'
    doc-ref: spec/zeebe-journal.md ZBJ-054
    seq:
      - id: header
        -requirement: ZBJ-054
        type: sbe::message_header
        if: is_raft
        doc: Message header with schema 8 and template 1.
      - id: term
        -requirement: ZBJ-054
        type: u8
        if: is_raft
        doc: Term of the leader that created the entry.
      - id: type
        -orig-id: EntryType
        -requirement: ZBJ-054
        type: u1
        enum: entry_type
        if: is_raft
        doc: Type of the entry, which determines the message that follows.
      - id: newer_fields
        -requirement: ZBJ-005
        size: header.len_block.as<s8> - 9
        if: 'is_raft ? header.len_block.as<s8> > 9 : false'
        doc: Fields of a newer version, which readers skip.
      - id: application_entry
        -orig-id: ApplicationEntry
        -requirement: ZBJ-055
        type: application_entry
        if: 'is_raft ? (type == entry_type::application and _io.size.as<s8> - _io.pos.as<s8> >= 28) : false'
        doc: Batch of application records, present if the type is `application`.
      - id: configuration_entry
        -orig-id: ConfigurationEntry
        -requirement: ZBJ-057
        type: configuration_entry
        if: 'is_raft ? (type == entry_type::configuration and _io.size.as<s8> - _io.pos.as<s8> >= 16) : false'
        doc: Members of the cluster, present if the type is `configuration`.
      - id: rest
        -requirement: ZBJ-058
        size-eos: true
        if: not _io.eof
        doc: Bytes after the raft entry, or the whole payload if it is not a raft entry.
    instances:
      peeked:
        pos: 0
        type: sbe::message_header
        if: _io.size.as<s8> >= 17
        doc: The header, read before the entry is parsed.
      is_raft:
        -requirement: ZBJ-058
        value: '_io.size.as<s8> >= 17 ? (peeked.template_id == 1 and peeked.schema_id == 8 and peeked.len_block.as<s8> >= 9 ? peeked.len_block.as<s8> + 8 <= _io.size.as<s8> : false) : false'
        doc: True if the payload begins with a whole RaftLogEntry message.
  application_entry:
    -orig-id: ApplicationEntry
    doc: A batch of application records.
    doc-ref: spec/zeebe-journal.md ZBJ-055
    seq:
      - id: header
        -requirement: ZBJ-055
        type: sbe::message_header
        doc: Message header with schema 8 and template 2.
      - id: lowest_asqn
        -orig-id: lowestAsqn
        -requirement: ZBJ-055
        type: u8
        doc: |
          Position (asqn) of the first application record in the batch, which
          is also the asqn of the journal record.
      - id: highest_asqn
        -orig-id: highestAsqn
        -requirement: ZBJ-055
        type: u8
        doc: Position (asqn) of the last application record in the batch.
      - id: newer_fields
        -requirement: ZBJ-005
        # Never negative: raft_log_entry reads this type only if at least 28 bytes are left; 24 bytes precede this field.
        size: 'header.len_block.as<s8> - 16 > (_io.size.as<s8> - _io.pos.as<s8>).as<s8> - 4 ? ((_io.size.as<s8> - _io.pos.as<s8>).as<s8> - 4).as<s8> : (header.len_block.as<s8> - 16).as<s8>'
        if: header.len_block.as<s8> > 16
        doc: Fields of a newer version, which readers skip.
      - id: len_application_data
        -requirement: ZBJ-055
        type: u4
        doc: Length of the batch in bytes.
      - id: application_data
        -orig-id: applicationData
        -requirement: ZBJ-055
        size: 'len_application_data.as<s8> > (_io.size.as<s8> - _io.pos.as<s8>).as<s8> ? (_io.size.as<s8> - _io.pos.as<s8>).as<s8> : len_application_data.as<s8>'
        doc: The batch. This grammar does not describe its content.
  configuration_entry:
    -orig-id: ConfigurationEntry
    doc: 'The members of the cluster: one group in schema version 1, two groups from version 2 on.'
    doc-ref: spec/zeebe-journal.md ZBJ-057
    seq:
      - id: header
        -requirement: ZBJ-057
        type: sbe::message_header
        doc: Message header with schema 8 and template 4.
      - id: timestamp
        -requirement: ZBJ-057
        type: u8
        doc: Time of the configuration, in milliseconds since 1970.
      - id: newer_fields
        -requirement: ZBJ-005
        size: 'header.len_block.as<s8> - 8 > _io.size.as<s8> - _io.pos.as<s8> ? (_io.size.as<s8> - _io.pos.as<s8>).as<s8> : (header.len_block.as<s8> - 8).as<s8>'
        if: header.len_block.as<s8> > 8
        doc: Fields of a newer version, which readers skip.
      - id: new_members
        -orig-id: newMembers
        -requirement: ZBJ-057
        type: member_group
        if: _io.size.as<s8> - _io.pos.as<s8> >= 3
        doc: Members of the new configuration. Version 1 has only this group.
      - id: old_members
        -orig-id: oldMembers
        -requirement: ZBJ-057
        type: member_group
        if: header.version >= 2 and _io.size.as<s8> - _io.pos.as<s8> >= 3
        doc: Members of the previous configuration during a joint consensus; otherwise empty.
  member_group:
    doc: A group of members.
    doc-ref: spec/zeebe-journal.md ZBJ-057
    seq:
      - id: header
        -requirement: ZBJ-057
        type: sbe::group_header
        doc: Header of the group, with the number of members.
      - id: members
        -requirement: ZBJ-057
        type: member(header.len_block, _io.pos)
        repeat: until
        repeat-until: _.is_truncated or members.size.as<s8> >= header.num_in_group.as<s8>
        if: header.num_in_group > 0
        doc: Members of the group; fewer than `num_in_group` if the entry ends too early.
  member:
    -orig-id: RaftMember
    doc: A member of the cluster.
    doc-ref: spec/zeebe-journal.md ZBJ-057
    params:
      - id: len_block
        type: u2
        doc: Length of the block before the id of the member, in bytes.
      - id: ofs_member
        type: s8
        doc: Offset of the member in the entry.
    seq:
      - id: type
        -orig-id: MemberType
        -requirement: ZBJ-057
        type: u1
        enum: member_type
        if: has_block
        doc: Type of the member.
      - id: updated
        -requirement: ZBJ-057
        type: s8
        if: has_block
        doc: Time of the last update of the member, in milliseconds since 1970.
      - id: newer_fields
        -requirement: ZBJ-005
        size: 'len_block.as<s8> - 9 > _io.size.as<s8> - _io.pos.as<s8> ? (_io.size.as<s8> - _io.pos.as<s8>).as<s8> : (len_block.as<s8> - 9).as<s8>'
        if: 'has_block ? len_block.as<s8> > 9 : false'
        doc: Fields of a newer version, which readers skip.
      - id: len_member_id
        -requirement: ZBJ-057
        type: u4
        if: has_length
        doc: Length of the id of the member, in bytes.
      - id: member_id
        -orig-id: memberId
        -requirement: ZBJ-057
        size: 'is_truncated ? (_io.size.as<s8> - _io.pos.as<s8>).as<s8> : len_member_id.as<s8>'
        if: has_length
        doc: Id of the member, in UTF-8.
    instances:
      len_room:
        value: _io.size.as<s8> - ofs_member.as<s8>
        doc: Number of bytes from the start of the member to the end of the entry.
      has_block:
        value: len_room.as<s8> >= 9 and len_block.as<s8> >= 9
        doc: True if the entry is long enough for the known fields of the block.
      has_length:
        value: 'has_block ? len_room.as<s8> - len_block.as<s8> >= 4 : false'
        doc: True if the entry is long enough for the length of the id.
      is_truncated:
        -requirement: ZBJ-058
        value: 'has_length ? len_member_id.as<s8> > ((len_room.as<s8> - len_block.as<s8>).as<s8> - 4).as<s8> : true'
        doc: True if the entry ends inside this member.
enums:
  entry_type:
    0:
      id: application
      -orig-id: ApplicationEntry
      doc: A batch of application records (ApplicationEntry).
    1:
      id: configuration
      -orig-id: ConfigurationEntry
      doc: The members of the cluster (ConfigurationEntry).
    2:
      id: initial
      -orig-id: InitialEntry
      doc: First entry of a new leader (InitialEntry). No message follows.
  member_type:
    0:
      id: inactive
      -orig-id: INACTIVE
      doc: The node is not a member of the cluster.
    1:
      id: passive
      -orig-id: PASSIVE
      doc: The member receives the log and does not vote.
    2:
      id: promotable
      -orig-id: PROMOTABLE
      doc: The member is about to become active.
    3:
      id: active
      -orig-id: ACTIVE
      doc: The member votes.

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
# `.as<s8>` below widens both sides alike: Go does not mix integer types. For
# the same reason, `?:` replaces an `and` that would have to be lazy. In the
# `repeat-until` of languages other than Python, `_index` means another number,
# so the size of the array is used instead.
doc: |
  A segment file of the journal in which a Zeebe broker keeps its raft log: a
  descriptor, then records, one directly after the other, up to a frame byte of
  0 or the end of the file. A record is a frame byte and two SBE messages. Its
  payload is a raft log entry, which is described down to the members of its
  groups.

  This grammar describes structure and judges nothing. It accepts every input,
  damaged, cut, or foreign: a field that has no room is left out, a false
  length is clamped (`is_truncated`), and checksums are exposed with the bytes
  that they cover (`checksum_input`) but not verified. It stops listing records
  where the next one cannot be found. See `doc-ref` for what a reader must
  return.
doc-ref:
  - spec/zeebe-journal.md
  - https://github.com/camunda/camunda/tree/main/zeebe/journal/src/main
seq:
  - id: descriptor
    -orig-id: SegmentDescriptor
    -requirement:
      - ZBJ-006
      - ZBJ-007
      - ZBJ-008
    type: descriptor
    doc: What segment this is, and what its first index is.
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
      Records in file order, up to a frame byte of 0. After damage the lengths
      can no longer be trusted, and what is listed here may be garbage.
    doc-ref: spec/zeebe-journal.md ZBJ-015
  - id: unused
    -requirement:
      - ZBJ-016
      - ZBJ-022
    size-eos: true
    doc: |
      The rest of the file from the frame byte 0 on. Zeros in a fresh segment;
      readers do not look at it.
    doc-ref: spec/zeebe-journal.md ZBJ-022
instances:
  has_records:
    value: 'descriptor.is_whole ? (descriptor.len.as<s8> < _io.size.as<s8> ? first_frame != 0 : false) : false'
    doc: False if no record follows the descriptor; there are no `records` then.
  first_frame:
    pos: descriptor.len.as<s8>
    type: u1
    if: descriptor.len.as<s8> < _io.size.as<s8>
    doc: The frame byte of the first record.
types:
  descriptor:
    doc: |
      The start of a segment: 29 bytes in version 1, 45 in version 2 with SBE
      version 1, 57 with SBE version 2, more in future versions.
    doc-ref: spec/zeebe-journal.md ZBJ-006 to ZBJ-010
    seq:
      - id: version
        -requirement: ZBJ-011
        type: u1
        if: _io.size.as<s8> >= 1
        doc: 1 or 2; it decides whether there is a checksum.
      - id: metadata
        -orig-id: DescriptorMetadata
        -requirement:
          - ZBJ-007
          - ZBJ-009
        type: descriptor_metadata
        if: has_metadata
        doc: The checksum of the next message; only in version 2.
      - id: segment
        -orig-id: SegmentDescriptor
        -requirement:
          - ZBJ-006
          - ZBJ-009
        type: descriptor_segment
        if: 'has_version ? _io.size.as<s8> - _io.pos.as<s8> >= 28 : false'
        doc: The message that says which segment this is.
    instances:
      has_version:
        value: '_io.size.as<s8> >= 1 ? (version == 1 or version == 2) : false'
        doc: True if the version is one that this grammar knows.
      has_metadata:
        value: 'has_version ? (version == 2 and _io.size.as<s8> >= 17) : false'
        doc: True if the file has room for the checksum.
      header_1:
        pos: 1
        type: sbe::message_header
        if: _io.size.as<s8> >= 9
        doc: The first message header, of either version.
      ofs_segment:
        value: '_io.size.as<s8> >= 17 ? (version == 2 ? (9 + header_1.len_block.as<s8>).as<s8> : 1.as<s8>).as<s8> : 1.as<s8>'
        doc: Offset of the message that says what segment this is.
      header_2:
        pos: ofs_segment.as<s8>
        type: sbe::message_header
        if: ofs_segment.as<s8> + 8 <= _io.size.as<s8>
        doc: The header of that message.
      len:
        value: 'ofs_segment.as<s8> + 8 <= _io.size.as<s8> ? ((ofs_segment.as<s8> + 8).as<s8> + header_2.len_block.as<s8>).as<s8> : 0.as<s8>'
        doc: Length of the descriptor, and so the offset of the first record.
      is_whole:
        -requirement: ZBJ-040
        value: 'has_version ? (_io.size.as<s8> >= 29 ? (len.as<s8> >= 29 and (version == 1 or ofs_segment.as<s8> >= 17) ? len.as<s8> <= _io.size.as<s8> : false) : false) : false'
        doc: True if the file holds all of the descriptor.
      checksum_input:
        -requirement: ZBJ-009
        pos: ofs_segment.as<s8>
        # Never negative: is_whole says that len is 29 or more, and it is counted from ofs_segment
        size: len.as<s8> - ofs_segment.as<s8>
        if: is_whole
        doc: The bytes that `metadata.checksum` covers.
  descriptor_metadata:
    -orig-id: DescriptorMetadata
    doc: Checksum of the descriptor.
    doc-ref: spec/zeebe-journal.md ZBJ-009
    seq:
      - id: header
        -requirement: ZBJ-005
        type: sbe::message_header
        doc: Schema 7, template 4.
      - id: checksum
        -requirement: ZBJ-009
        type: s8
        doc: CRC-32C of `checksum_input`, extended with zeros to 64 bits.
      - id: newer_fields
        -requirement: ZBJ-010
        size: 'header.len_block.as<s8> - 8 > _io.size.as<s8> - _io.pos.as<s8> ? (_io.size.as<s8> - _io.pos.as<s8>).as<s8> : (header.len_block.as<s8> - 8).as<s8>'
        if: header.len_block.as<s8> > 8
        doc: Fields of a newer version.
  descriptor_segment:
    -orig-id: SegmentDescriptor
    doc: What segment this is.
    doc-ref: spec/zeebe-journal.md ZBJ-006 to ZBJ-013
    seq:
      - id: header
        -requirement: ZBJ-005
        type: sbe::message_header
        doc: Schema 7, template 3.
      - id: id
        -requirement: ZBJ-002
        type: s8
        doc: Number of the segment; readers go by the file name.
      - id: index
        -requirement: ZBJ-023
        type: s8
        doc: Index of the first record.
      - id: max_segment_size
        -orig-id: maxSegmentSize
        -requirement: ZBJ-012
        type: s4
        doc: Length that the file should have.
      - id: last_index
        -orig-id: lastIndex
        -requirement: ZBJ-013
        type: s8
        if: has_seal
        doc: Index of the last record of a sealed segment, otherwise 0.
      - id: last_position
        -orig-id: lastPosition
        -requirement: ZBJ-013
        type: s4
        if: has_seal
        doc: Offset of the last record of a sealed segment, otherwise 0.
      - id: newer_fields
        -requirement: ZBJ-010
        size: 'len_newer.as<s8> > _io.size.as<s8> - _io.pos.as<s8> ? (_io.size.as<s8> - _io.pos.as<s8>).as<s8> : len_newer.as<s8>'
        if: len_newer.as<s8> > 0
        doc: Fields of a newer version.
    instances:
      has_seal:
        # The second offset counts where the metadata has more fields, the first where it is too short.
        value: 'header.len_block.as<s8> >= 32 and header.version >= 2 and _io.size.as<s8> >= 57 ? _parent.ofs_segment.as<s8> + 40 <= _io.size.as<s8> : false'
        doc: True from SBE version 2 on, if the file has room for it.
      len_newer:
        value: 'header.len_block.as<s8> - (has_seal ? 32.as<s8> : 20.as<s8>).as<s8>'
        doc: Number of bytes after the known fields.
  record:
    -orig-id: JournalRecord
    doc: A record, 49 bytes and its payload.
    doc-ref: spec/zeebe-journal.md ZBJ-015
    params:
      - id: ofs_record
        type: s8
        doc: Offset of the frame byte in the file.
    seq:
      - id: frame
        -requirement: ZBJ-016
        type: u1
        doc: 1. A frame byte of 0 is not a record; it is the start of `unused`.
      - id: metadata
        -orig-id: RecordMetadata
        -requirement: ZBJ-015
        type: record_metadata
        if: has_metadata
        doc: The checksum and the length of the data message.
      - id: data
        -orig-id: RecordData
        -requirement: ZBJ-015
        size: len_data.as<s8>
        type: record_data
        if: has_metadata
        doc: The data message. It has fewer bytes than `metadata.len_data` if the file ends too early.
      - id: rest
        -requirement: ZBJ-027
        size-eos: true
        if: not has_metadata
        doc: The start of a record that the end of the file cuts off.
    instances:
      len_available:
        value: _io.size.as<s8> - ofs_record.as<s8>
        doc: Number of bytes from the frame byte to the end of the file.
      has_metadata:
        -requirement: ZBJ-027
        value: 'len_available.as<s8> >= 21 ? peeked.len_block.as<s8> + 9 <= len_available.as<s8> : false'
        doc: True if the file has room for frame byte and metadata.
      peeked:
        pos: ofs_record.as<s8> + 1
        type: sbe::message_header
        if: len_available.as<s8> >= 21
        doc: The header of the metadata, read ahead.
      len_metadata:
        value: '8 + (peeked.len_block.as<s8> < 12 ? 12.as<s8> : peeked.len_block.as<s8>).as<s8>'
        if: len_available.as<s8> >= 21
        doc: Length of the metadata with its header.
      len_behind:
        value: (len_available.as<s8> - 1).as<s8> - len_metadata.as<s8>
        if: len_available.as<s8> >= 21
        doc: Number of bytes from the end of the metadata to the end of the file.
      is_truncated:
        -requirement: ZBJ-027
        value: 'has_metadata ? metadata.len_data.as<s8> > len_behind.as<s8> or metadata.len_data.as<s8> < 0 : true'
        doc: True if the length leads out of the file, or is negative.
      len_data:
        value: 'metadata.len_data.as<s8> < 0 ? 0.as<s8> : (is_truncated ? len_behind.as<s8> : metadata.len_data.as<s8>).as<s8>'
        if: has_metadata
        doc: Length of `data`.
      checksum_input:
        -requirement:
          - ZBJ-017
          - ZBJ-028
        pos: (ofs_record.as<s8> + 1).as<s8> + len_metadata.as<s8>
        size: len_data.as<s8>
        if: has_metadata
        doc: The bytes that `metadata.checksum` covers, all of the data message.
      ofs_next:
        value: 'has_metadata ? (((ofs_record.as<s8> + 1).as<s8> + len_metadata.as<s8>).as<s8> + len_data.as<s8>).as<s8> : _io.size.as<s8>'
        doc: Offset of what follows.
      next_frame:
        pos: ofs_next.as<s8>
        type: u1
        if: ofs_next.as<s8> < _io.size.as<s8>
        doc: The frame byte of what follows.
      is_last:
        -requirement:
          - ZBJ-016
          - ZBJ-021
        value: 'is_truncated ? true : (peeked.template_id != 1 or peeked.schema_id != 7 ? true : (ofs_next.as<s8> < _io.size.as<s8> ? next_frame == 0 : true))'
        doc: True if no record follows, or none can be found.
  record_metadata:
    -orig-id: RecordMetadata
    doc: Checksum and length of the data message.
    doc-ref: spec/zeebe-journal.md ZBJ-015
    seq:
      - id: header
        -requirement: ZBJ-005
        type: sbe::message_header
        doc: Schema 7, template 1.
      - id: checksum
        -requirement: ZBJ-017
        type: s8
        doc: CRC-32C of `checksum_input`, extended with zeros to 64 bits.
      - id: len_data
        -orig-id: length
        -requirement: ZBJ-018
        type: s4
        doc: Length of the data message, its header included.
      - id: newer_fields
        -requirement: ZBJ-005
        size: header.len_block.as<s8> - 12
        if: header.len_block.as<s8> > 12
        doc: Fields of a newer version.
  record_data:
    -orig-id: RecordData
    doc: Index, asqn and payload.
    doc-ref: spec/zeebe-journal.md ZBJ-015
    seq:
      - id: header
        -requirement: ZBJ-005
        type: sbe::message_header
        if: is_whole
        doc: Schema 7, template 2.
      - id: index
        -requirement: ZBJ-023
        type: s8
        if: is_whole
        doc: Number of the record, one more than that of the previous record.
      - id: asqn
        -requirement: ZBJ-024
        type: s8
        if: is_whole
        doc: Number that the application gave, or -1.
      - id: newer_fields
        -requirement: ZBJ-005
        # Never negative: is_whole says that 28 bytes are there; 24 of them come before
        size: 'len_newer.as<s8> > (_io.size.as<s8> - _io.pos.as<s8>).as<s8> - 4 ? ((_io.size.as<s8> - _io.pos.as<s8>).as<s8> - 4).as<s8> : len_newer.as<s8>'
        if: 'is_whole ? len_newer.as<s8> > 0 : false'
        doc: Fields of a newer version.
      - id: len_entry
        -orig-id: data.length
        -requirement: ZBJ-018
        type: u4
        if: is_whole
        doc: Length of the payload.
      - id: entry
        -orig-id: RaftLogEntry
        -requirement:
          - ZBJ-018
          - ZBJ-054
        size: 'is_truncated ? (_io.size.as<s8> - _io.pos.as<s8>).as<s8> : len_entry.as<s8>'
        type: raft_log_entry
        if: is_whole
        doc: The payload.
      - id: rest
        -requirement: ZBJ-030
        size-eos: true
        if: not _io.eof
        doc: |
          What follows the payload in the data message, or all of the message if it
          is too short. A sound record has none.
    instances:
      is_whole:
        -requirement: ZBJ-029
        value: _io.size.as<s8> >= 28
        doc: True if there is room for the known fields.
      len_newer:
        value: 'is_whole ? (header.len_block.as<s8> - 16).as<s8> : 0.as<s8>'
        doc: Number of bytes between the known fields and the length of the payload.
      len_room:
        value: _io.size.as<s8> - 28
        doc: Number of bytes after the known fields and the length of the payload.
      len_skipped:
        value: 'len_newer.as<s8> > len_room.as<s8> ? len_room.as<s8> : (len_newer.as<s8> > 0 ? len_newer.as<s8> : 0.as<s8>).as<s8>'
        doc: Length of `newer_fields`, 0 if there are none.
      is_truncated:
        -requirement: ZBJ-030
        value: 'is_whole ? len_entry.as<s8> > (len_room.as<s8> - len_skipped.as<s8>).as<s8> : false'
        doc: True if the length of the payload leads out of the data message.
  raft_log_entry:
    -orig-id: RaftLogEntry
    doc: The payload of a record, an entry of the raft log.
    doc-ref: spec/zeebe-journal.md ZBJ-054
    seq:
      - id: header
        -requirement: ZBJ-054
        type: sbe::message_header
        if: is_raft
        doc: Schema 8, template 1.
      - id: term
        -requirement: ZBJ-054
        type: u8
        if: is_raft
        doc: Term of the leader that made the entry.
      - id: type
        -orig-id: EntryType
        -requirement: ZBJ-054
        type: u1
        enum: entry_type
        if: is_raft
        doc: Which message follows.
      - id: newer_fields
        -requirement: ZBJ-005
        size: header.len_block.as<s8> - 9
        if: 'is_raft ? header.len_block.as<s8> > 9 : false'
        doc: Fields of a newer version.
      - id: application_entry
        -orig-id: ApplicationEntry
        -requirement: ZBJ-055
        type: application_entry
        if: 'is_raft ? (type == entry_type::application and _io.size.as<s8> - _io.pos.as<s8> >= 28) : false'
        doc: Records of the application.
      - id: configuration_entry
        -orig-id: ConfigurationEntry
        -requirement: ZBJ-057
        type: configuration_entry
        if: 'is_raft ? (type == entry_type::configuration and _io.size.as<s8> - _io.pos.as<s8> >= 16) : false'
        doc: The members of the cluster.
      - id: rest
        -requirement: ZBJ-058
        size-eos: true
        if: not _io.eof
        doc: Bytes that are not a raft entry, or that follow one. A sound record has none.
    instances:
      peeked:
        pos: 0
        type: sbe::message_header
        if: _io.size.as<s8> >= 17
        doc: The header, read ahead.
      is_raft:
        -requirement: ZBJ-058
        value: '_io.size.as<s8> >= 17 ? (peeked.template_id == 1 and peeked.schema_id == 8 and peeked.len_block.as<s8> >= 9 ? peeked.len_block.as<s8> + 8 <= _io.size.as<s8> : false) : false'
        doc: True if this is a RaftLogEntry.
  application_entry:
    -orig-id: ApplicationEntry
    doc: A batch of records of the application.
    doc-ref: spec/zeebe-journal.md ZBJ-055
    seq:
      - id: header
        -requirement: ZBJ-055
        type: sbe::message_header
        doc: Schema 8, template 2.
      - id: lowest_asqn
        -orig-id: lowestAsqn
        -requirement: ZBJ-055
        type: u8
        doc: Position of the first record in the batch; also the asqn of the journal record.
      - id: highest_asqn
        -orig-id: highestAsqn
        -requirement: ZBJ-055
        type: u8
        doc: Position of the last record in the batch.
      - id: newer_fields
        -requirement: ZBJ-005
        # Never negative: raft_log_entry reads this type where 28 bytes are left; 24 of them come before
        size: 'header.len_block.as<s8> - 16 > (_io.size.as<s8> - _io.pos.as<s8>).as<s8> - 4 ? ((_io.size.as<s8> - _io.pos.as<s8>).as<s8> - 4).as<s8> : (header.len_block.as<s8> - 16).as<s8>'
        if: header.len_block.as<s8> > 16
        doc: Fields of a newer version.
      - id: len_application_data
        -requirement: ZBJ-055
        type: u4
        doc: Length of the batch.
      - id: application_data
        -orig-id: applicationData
        -requirement: ZBJ-055
        size: 'len_application_data.as<s8> > (_io.size.as<s8> - _io.pos.as<s8>).as<s8> ? (_io.size.as<s8> - _io.pos.as<s8>).as<s8> : len_application_data.as<s8>'
        doc: The batch, which is not described here.
  configuration_entry:
    -orig-id: ConfigurationEntry
    doc: The members of the cluster; two groups from schema version 2 on.
    doc-ref: spec/zeebe-journal.md ZBJ-057
    seq:
      - id: header
        -requirement: ZBJ-057
        type: sbe::message_header
        doc: Schema 8, template 4.
      - id: timestamp
        -requirement: ZBJ-057
        type: u8
        doc: Milliseconds since 1970.
      - id: newer_fields
        -requirement: ZBJ-005
        size: 'header.len_block.as<s8> - 8 > _io.size.as<s8> - _io.pos.as<s8> ? (_io.size.as<s8> - _io.pos.as<s8>).as<s8> : (header.len_block.as<s8> - 8).as<s8>'
        if: header.len_block.as<s8> > 8
        doc: Fields of a newer version.
      - id: new_members
        -orig-id: newMembers
        -requirement: ZBJ-057
        type: member_group
        if: _io.size.as<s8> - _io.pos.as<s8> >= 3
        doc: The members from now on; the only group of version 1.
      - id: old_members
        -orig-id: oldMembers
        -requirement: ZBJ-057
        type: member_group
        if: header.version >= 2 and _io.size.as<s8> - _io.pos.as<s8> >= 3
        doc: The previous members, during joint consensus; otherwise empty.
  member_group:
    doc: A group of members.
    doc-ref: spec/zeebe-journal.md ZBJ-057
    seq:
      - id: header
        -requirement: ZBJ-057
        type: sbe::group_header
        doc: How many there are.
      - id: members
        -requirement: ZBJ-057
        type: member(header.len_block, _io.pos)
        repeat: until
        repeat-until: _.is_truncated or members.size.as<s8> >= header.num_in_group.as<s8>
        if: header.num_in_group > 0
        doc: The members; fewer than `num_in_group` if the entry ends before.
  member:
    -orig-id: RaftMember
    doc: A member.
    doc-ref: spec/zeebe-journal.md ZBJ-057
    params:
      - id: len_block
        type: u2
        doc: Length of the block before the id.
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
        doc: What the member may do.
      - id: updated
        -requirement: ZBJ-057
        type: s8
        if: has_block
        doc: Milliseconds since 1970.
      - id: newer_fields
        -requirement: ZBJ-005
        size: 'len_block.as<s8> - 9 > _io.size.as<s8> - _io.pos.as<s8> ? (_io.size.as<s8> - _io.pos.as<s8>).as<s8> : (len_block.as<s8> - 9).as<s8>'
        if: 'has_block ? len_block.as<s8> > 9 : false'
        doc: Fields of a newer version.
      - id: len_member_id
        -requirement: ZBJ-057
        type: u4
        if: has_length
        doc: Length of the id.
      - id: member_id
        -orig-id: memberId
        -requirement: ZBJ-057
        size: 'is_truncated ? (_io.size.as<s8> - _io.pos.as<s8>).as<s8> : len_member_id.as<s8>'
        if: has_length
        doc: Name of the member, UTF-8.
    instances:
      len_room:
        value: _io.size.as<s8> - ofs_member.as<s8>
        doc: Number of bytes from the start of the member to the end of the entry.
      has_block:
        value: len_room.as<s8> >= 9 and len_block.as<s8> >= 9
        doc: True if the entry has room for the block.
      has_length:
        value: 'has_block ? len_room.as<s8> - len_block.as<s8> >= 4 : false'
        doc: True if the entry has room for the length of the id.
      is_truncated:
        -requirement: ZBJ-058
        value: 'has_length ? len_member_id.as<s8> > ((len_room.as<s8> - len_block.as<s8>).as<s8> - 4).as<s8> : true'
        doc: True if the entry ends inside this member.
enums:
  entry_type:
    0:
      id: application
      -orig-id: ApplicationEntry
      doc: Records of the application.
    1:
      id: configuration
      -orig-id: ConfigurationEntry
      doc: The members of the cluster.
    2:
      id: initial
      -orig-id: InitialEntry
      doc: What a new leader writes first; nothing follows.
  member_type:
    0:
      id: inactive
      -orig-id: INACTIVE
      doc: Not a member of the cluster.
    1:
      id: passive
      -orig-id: PASSIVE
      doc: Receives the log and does not vote.
    2:
      id: promotable
      -orig-id: PROMOTABLE
      doc: On its way to become active.
    3:
      id: active
      -orig-id: ACTIVE
      doc: Votes.

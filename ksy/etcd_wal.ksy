# SPDX-License-Identifier: CC0-1.0
meta:
  id: etcd_wal
  title: Segment of etcd's write-ahead log
  application: etcd
  file-extension: wal
  tags:
    - database
    - log
  license: CC0-1.0
  ks-version: 0.11
  endian: le
doc: |
  A segment of the write-ahead log of etcd: frames without gaps, then zeros. A
  frame has a length, a record and up to seven bytes of padding. A record is a
  Protocol Buffers message, which this grammar describes as every writer
  writes it: type, checksum and data, in this order.

  This grammar describes the structure and does not check any values. It
  accepts every input. A record that extends beyond the end of the file is
  clamped (`is_truncated`). The list of frames ends at a length of zero, or
  where fewer than eight bytes are left. The checksum of a record continues
  that of the record before it.
doc-ref:
  - spec/etcd-wal.md
  - https://github.com/etcd-io/etcd/tree/main/server/storage/wal
seq:
  - id: frames
    -requirement:
      - ETW-003
      - ETW-011
    type: frame(_io.pos)
    repeat: until
    repeat-until: not _.is_followed
    if: has_frames
    doc: Frames in file order. After a damaged length, frames may be garbage.
    doc-ref: spec/etcd-wal.md ETW-003
  - id: rest
    -requirement: ETW-011
    size-eos: true
    doc: Preallocated zeros; in a damaged or torn file, these bytes may be anything.
    doc-ref: spec/etcd-wal.md ETW-011
instances:
  first_length:
    pos: 0
    size: '_io.size < 8 ? _io.size.as<s8> : 8.as<s8>'
    doc: The length of the first frame.
  has_frames:
    value: '_io.size < 8 ? false : first_length != [0, 0, 0, 0, 0, 0, 0, 0]'
    doc: True if the file begins with a frame. If false, `frames` is absent.
types:
  frame:
    -checksum:
      algorithm: continued-crc-32c
      field: record.crc
      covers: record.data
      unless: is_truncated
    -labels:
      - record.kind
      - is_truncated
    doc: A record with its length and padding.
    doc-ref: spec/etcd-wal.md ETW-003
    params:
      - id: ofs_frame
        type: s8
        doc: Offset of the frame in the file.
    seq:
      - id: length
        -orig-id: lenField
        type: frame_length
        doc: Number of bytes of the record and of the padding.
      - id: record
        -orig-id: Record
        -requirement: ETW-005
        size: len_record
        type: record(len_record)
        doc: The record. It is shorter than its length if the file ends too early.
      - id: padding
        -orig-id: padBytes
        -requirement: ETW-004
        size: len_padding
        doc: Zeros, so that the next frame begins at a multiple of eight bytes.
    instances:
      len_left:
        value: ((_io.size.as<s8> - ofs_frame.as<s8>).as<s8> - 8.as<s8>).as<s8>
        doc: Number of bytes from the end of the length to the end of the file.
      is_truncated:
        -requirement: ETW-020
        value: 'length.is_huge ? true : length.low.as<s8> > len_left.as<s8>'
        doc: True if `record` was clamped.
      len_record:
        value: '(is_truncated ? len_left.as<s8> : length.low.as<s8>).as<s8>'
        doc: Number of bytes of the record in the file.
      len_after:
        value: (len_left.as<s8> - len_record.as<s8>).as<s8>
        doc: Number of bytes after the record.
      len_padding:
        value: '(length.len_padding.as<s8> < len_after.as<s8> ? length.len_padding.as<s8> : len_after.as<s8>).as<s8>'
        doc: Number of bytes of the padding in the file.
      ofs_end:
        value: (((ofs_frame.as<s8> + 8.as<s8>).as<s8> + len_record.as<s8>).as<s8> + len_padding.as<s8>).as<s8>
        doc: Offset of the end of the frame.
      next_length:
        pos: ofs_end
        size: '_io.size.as<s8> - ofs_end.as<s8> < 8 ? 0.as<s8> : 8.as<s8>'
        doc: The length of the next frame; empty if fewer than eight bytes follow.
      is_followed:
        value: '_io.size.as<s8> - ofs_end.as<s8> < 8 ? false : next_length != [0, 0, 0, 0, 0, 0, 0, 0]'
        doc: True if another frame follows.
  frame_length:
    doc: The length field, a number of 64 bits with the padding in its highest byte.
    doc-ref: spec/etcd-wal.md ETW-003
    seq:
      - id: low
        type: u4
        doc: Bits 0 to 31 of the length of the record.
      - id: middle
        type: u2
        doc: Bits 32 to 47 of the length of the record.
      - id: high
        type: u1
        doc: Bits 48 to 55 of the length of the record.
      - id: flags
        -orig-id: padBytes
        type: u1
        doc: Bit 7 is set if there is padding; bits 0 to 2 are its length.
    instances:
      is_huge:
        value: middle != 0 or high != 0
        doc: True if the record has 4 GiB or more, which no segment has.
      len_padding:
        value: '(flags < 128 ? 0.as<s8> : (flags & 7).as<s8>).as<s8>'
        doc: Length of the padding in bytes.
  record:
    doc: A record, as every writer writes it.
    doc-ref: spec/etcd-wal.md ETW-005
    params:
      - id: len_record
        type: s8
        doc: Number of bytes of the record in the file.
    seq:
      - id: tag_type
        type: u1
        if: not _io.eof
        doc: 0x08, the tag of the type.
      - id: type
        -requirement: ETW-008
        type: varint
        if: not _io.eof
        doc: Type of the record.
      - id: tag_crc
        type: u1
        if: not _io.eof
        doc: 0x10, the tag of the checksum.
      - id: crc
        -requirement: ETW-007
        type: varint
        if: not _io.eof
        doc: CRC-32C of the data of all records of the log so far.
      - id: tag_data
        type: u1
        if: not _io.eof
        doc: 0x1a, the tag of the data.
      - id: len_data
        type: varint
        if: not _io.eof
        doc: Length of the data in bytes.
      - id: data
        -requirement: ETW-010
        size: 'len_data.value.as<s8> < (_io.size.as<s8> - _io.pos.as<s8>).as<s8> ? len_data.value.as<s8> : (_io.size.as<s8> - _io.pos.as<s8>).as<s8>'
        if: not _io.eof
        doc: The payload. It is shorter than `len_data` if the record ends too early.
      - id: rest
        size-eos: true
        if: not _io.eof
        doc: Bytes after the data, which no writer writes.
    instances:
      kind:
        value: type.groups[0]
        enum: record_type
        if: len_record >= 2
        doc: Type of the record by name. All types are one byte long.
  varint:
    doc: An unsigned number in groups of seven bits, the lowest first; at most ten bytes.
    doc-ref: spec/etcd-wal.md ETW-006
    seq:
      - id: groups
        type: u1
        repeat: until
        repeat-until: '_ < 128 ? true : (_io.eof ? true : groups.size >= 10)'
        doc: Groups with a flag in bit 7 that another group follows.
    instances:
      value:
        value: >-
          (((((groups[0] & 127).as<s8>
          + ((groups.size > 1 ? (groups[1] & 127).as<s8> : 0.as<s8>).as<s8> * 128.as<s8>).as<s8>).as<s8>
          + ((groups.size > 2 ? (groups[2] & 127).as<s8> : 0.as<s8>).as<s8> * 16384.as<s8>).as<s8>).as<s8>
          + ((groups.size > 3 ? (groups[3] & 127).as<s8> : 0.as<s8>).as<s8> * 2097152.as<s8>).as<s8>).as<s8>
          + ((groups.size > 4 ? (groups[4] & 127).as<s8> : 0.as<s8>).as<s8> * 268435456.as<s8>).as<s8>).as<s8>
        doc: The number, without groups after the fifth.
enums:
  record_type:
    1:
      id: metadata
      -orig-id: MetadataType
      doc: Data of the application, the same in each file.
    2:
      id: entry
      -orig-id: EntryType
      doc: An entry of the raft log.
    3:
      id: state
      -orig-id: StateType
      doc: The hard state of raft.
    4:
      id: crc
      -orig-id: CrcType
      doc: The checksum so far, at the beginning of a file.
    5:
      id: snapshot
      -orig-id: SnapshotType
      doc: A marker for a snapshot, which is in another file.

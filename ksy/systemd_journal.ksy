# SPDX-License-Identifier: CC0-1.0
# The header keeps the names of its source, which the recipes of the vectors use too.
meta:
  id: systemd_journal
  title: systemd journal file
  application: systemd-journald
  file-extension:
    - journal
    - journal~
  tags:
    - log
    - linux
  license: CC0-1.0
  ks-version: 0.11
  endian: le
  bit-endian: le
# `.as<s8>` below widens both sides alike: Go does not mix integer types. For
# the same reason, `?:` replaces an `and` that would have to be lazy.
doc: |
  The binary log of systemd-journald: a header of 208 bytes or more, then
  objects one after the other, each aligned to 8 bytes, then preallocated
  space. Objects refer to each other by their offsets in the file. In compact
  files (`header.is_compact`) offsets in entries and arrays have 32 bits.

  This grammar describes structure and judges nothing. It accepts every input,
  damaged, torn, foreign or empty: it lists objects from the header on, as long
  as the size of each one leads to the next, up to the tail object. Links are
  exposed but not followed, hashes and seals are not verified, and payloads are
  not decompressed. See `doc-ref` for what a reader must return from a damaged
  file.
doc-ref:
  - spec/systemd-journal.md
  - https://systemd.io/JOURNAL_FILE_FORMAT
  - https://github.com/systemd/systemd/blob/main/src/libsystemd/sd-journal/journal-def.h
seq:
  - id: header
    -orig-id: Header
    -requirement:
      - SDJ-001
      - SDJ-003
    type: header
    size: 'len_header.as<s8>'
    if: has_header
    doc: The file header. Missing in a file that is too short for one.
    doc-ref: spec/systemd-journal.md SDJ-001 to SDJ-009
  - id: objects
    -orig-id: Object
    -requirement:
      - SDJ-010
      - SDJ-040
    type: journal_object(_io.pos)
    repeat: until
    repeat-until: _.is_last
    if: has_objects
    doc: |
      Objects in file order, up to the tail object or to the first bytes that
      are not an object. Such bytes are the last element, with `is_framed`
      false.
    doc-ref: spec/systemd-journal.md SDJ-040
  - id: rest
    -requirement: SDJ-059
    size-eos: true
    doc: |
      Everything after the tail object: preallocated space, whatever it holds.
      In a file without a whole header, the whole file.
    doc-ref: spec/systemd-journal.md SDJ-059
instances:
  has_header:
    value: _io.size >= 208
    doc: False if the file is shorter than the smallest header.
  len_header_said:
    pos: 88
    type: u8
    if: has_header
    doc: The field `header.header_size`, needed before the header is read.
  len_header:
    value: |
      has_header ? (len_header_said.as<s8> < 208 ? 208.as<s8> :
      (len_header_said.as<s8> > _io.size.as<s8> ? _io.size.as<s8> : len_header_said.as<s8>)) : 0.as<s8>
    doc: The size of the header, clamped to the bytes that are there.
  has_objects:
    value: 'has_header ? _io.size.as<s8> - len_header.as<s8> >= 16.as<s8> : false'
    doc: False if no object fits after the header.
  is_compact:
    value: 'has_header ? header.is_compact : false'
    doc: True if offsets in entries and arrays have 32 bits.
types:
  header:
    -orig-id: Header
    doc: |
      The file header. Fields exist as far as `header_size` reaches: 208 bytes
      in the oldest files, 272 since systemd 254.
    doc-ref: spec/systemd-journal.md SDJ-003
    seq:
      - id: signature
        -requirement: SDJ-001
        size: 8
        doc: '`LPKSHHRH`.'
      - id: compatible_flags
        -requirement: SDJ-006
        type: u4
        doc: 1 sealed; 2 tail_entry_boot_id is that of the tail entry; 4 sealed without gaps.
      - id: incompatible_flags
        -requirement: SDJ-005
        type: u4
        doc: 1 XZ, 2 LZ4, 4 keyed hash, 8 ZSTD, 16 compact. Refuse a file with any other flag.
      - id: state
        -requirement: SDJ-007
        type: u1
        enum: state
        doc: Whether a writer has the file open, or is done with it for good.
      - id: reserved
        -requirement: SDJ-008
        size: 7
        doc: Zeros.
      - id: file_id
        -requirement: SDJ-008
        size: 16
        doc: Random; the key of the keyed hash.
      - id: machine_id
        -requirement: SDJ-008
        size: 16
        doc: The machine of the writer; may be zeros.
      - id: tail_entry_boot_id
        -orig-id: boot_id
        -requirement: SDJ-008
        size: 16
        doc: Boot id of the last entry; before systemd 254, of the last writer.
      - id: seqnum_id
        -requirement: SDJ-008
        size: 16
        doc: What sequence numbers are relative to; several files may share it.
      - id: header_size
        -requirement: SDJ-004
        type: u8
        doc: Offset of the first object.
      - id: arena_size
        -requirement: SDJ-009
        type: u8
        doc: Bytes after the header, including preallocated ones.
      - id: data_hash_table_offset
        -requirement: SDJ-016
        type: u8
        doc: Offset of the first bucket, 16 bytes after the start of its object.
      - id: data_hash_table_size
        -requirement: SDJ-016
        type: u8
        doc: Bytes of all buckets.
      - id: field_hash_table_offset
        -requirement: SDJ-016
        type: u8
        doc: Offset of the first bucket, 16 bytes after the start of its object.
      - id: field_hash_table_size
        -requirement: SDJ-016
        type: u8
        doc: Bytes of all buckets.
      - id: tail_object_offset
        -requirement: SDJ-049
        type: u8
        doc: Offset of the last object.
      - id: n_objects
        -requirement: SDJ-049
        type: u8
        doc: Number of objects.
      - id: n_entries
        -requirement: SDJ-049
        type: u8
        doc: Number of entries that the main chain links.
      - id: tail_entry_seqnum
        -requirement: SDJ-049
        type: u8
        doc: Sequence number of the last entry; in a file without entries, the one from which to go on.
      - id: head_entry_seqnum
        -requirement: SDJ-049
        type: u8
        doc: Sequence number of the first entry, or 0.
      - id: entry_array_offset
        -requirement: SDJ-033
        type: u8
        doc: Offset of the first entry array of the main chain.
      - id: head_entry_realtime
        -requirement: SDJ-049
        type: u8
        doc: Realtime of the first entry, in microseconds.
      - id: tail_entry_realtime
        -requirement: SDJ-049
        type: u8
        doc: Realtime of the last entry, in microseconds.
      - id: tail_entry_monotonic
        -requirement: SDJ-049
        type: u8
        doc: Monotonic time of the last entry, in microseconds.
      - id: n_data
        -requirement: SDJ-049
        type: u8
        if: _io.size >= 216
        doc: Number of DATA objects; since systemd 187.
      - id: n_fields
        -requirement: SDJ-049
        type: u8
        if: _io.size >= 224
        doc: Number of FIELD objects; since systemd 187.
      - id: n_tags
        -requirement: SDJ-049
        type: u8
        if: _io.size >= 232
        doc: Number of TAG objects; since systemd 189.
      - id: n_entry_arrays
        -requirement: SDJ-049
        type: u8
        if: _io.size >= 240
        doc: Number of ENTRY_ARRAY objects; since systemd 189.
      - id: data_hash_chain_depth
        -requirement: SDJ-083
        type: u8
        if: _io.size >= 248
        doc: Links followed in the deepest look-up of a DATA; since systemd 246.
      - id: field_hash_chain_depth
        -requirement: SDJ-083
        type: u8
        if: _io.size >= 256
        doc: Links followed in the deepest look-up of a FIELD; since systemd 246.
      - id: tail_entry_array_offset
        -requirement: SDJ-049
        type: u4
        if: _io.size >= 260
        doc: Last array of the main chain, the lower 32 bits of its offset; since systemd 252.
      - id: tail_entry_array_n_entries
        -requirement: SDJ-049
        type: u4
        if: _io.size >= 264
        doc: Used slots of that array; since systemd 252.
      - id: tail_entry_offset
        -requirement: SDJ-049
        type: u8
        if: _io.size >= 272
        doc: Offset of the last entry; since systemd 254.
      - id: unknown
        -requirement: SDJ-003
        size-eos: true
        doc: Fields of later versions, or too few bytes for a field.
    instances:
      is_compact:
        -requirement: SDJ-005
        value: (incompatible_flags & 16) != 0
        doc: True if offsets in entries and arrays have 32 bits.
      is_keyed_hash:
        -requirement: SDJ-022
        value: (incompatible_flags & 4) != 0
        doc: True if hashes are SipHash-2-4 with `file_id` as key.
      is_sealed:
        -requirement: SDJ-006
        value: (compatible_flags & 1) != 0
        doc: True if there are TAG objects.
  journal_object:
    -orig-id: Object
    doc: An object and the padding after it.
    doc-ref: spec/systemd-journal.md SDJ-010
    params:
      - id: ofs_object
        type: s8
        doc: Offset of the object in the file.
    seq:
      - id: type
        -orig-id: type
        -requirement: SDJ-011
        type: u1
        enum: object_type
        doc: What the body is.
      - id: flags
        -requirement: SDJ-026
        type: u1
        doc: 1 XZ, 2 LZ4, 4 ZSTD, for DATA only. Ignore other flags.
      - id: reserved
        -requirement: SDJ-010
        size: 6
        doc: Ignored.
      - id: len_object
        -orig-id: size
        -requirement: SDJ-010
        type: u8
        doc: Bytes of the object, including these 16, without the padding.
      - id: body
        -requirement: SDJ-011
        size: len_body.as<s8>
        type:
          switch-on: kind
          cases:
            1: data_object
            2: field_object
            3: entry_object
            4: hash_table_object
            5: hash_table_object
            6: entry_array_object
            7: tag_object
            _: unknown_object
        doc: The object without its first 16 bytes.
      - id: padding
        -requirement: SDJ-012
        size: len_padding.as<s8>
        doc: Padding up to the next multiple of 8; ignored.
    instances:
      len_available:
        value: _io.size.as<s8> - ofs_object.as<s8>
        doc: Bytes from the start of the object to the end of the file.
      type_code:
        pos: ofs_object
        type: u1
        doc: The number of the type, even if it has no name.
      is_framed:
        -requirement: SDJ-011
        value: |
          type_code >= 1 and type_code <= 7 and len_object.as<s8> >= 17 and
          len_object.as<s8> <= len_available.as<s8>
        doc: False if these bytes are not an object, or do not fit the file.
      kind:
        value: |
          is_framed == false ? 0 :
          type_code == 1 ? (len_object.as<s8> > (_root.is_compact ? 72.as<s8> : 64.as<s8>).as<s8> ? 1 : 0) :
          type_code == 2 ? (len_object.as<s8> > 40 ? 2 : 0) :
          type_code == 3 ? (len_object.as<s8> > 64 ? 3 : 0) :
          type_code == 4 ? 4 :
          type_code == 5 ? 5 :
          type_code == 6 ? (len_object.as<s8> > 24 ? 6 : 0) :
          (len_object.as<s8> == 64 ? 7 : 0)
        doc: The type, or 0 if the size does not allow this type.
      len_body:
        value: 'is_framed ? (len_object.as<s8> - 16.as<s8>).as<s8> : 0.as<s8>'
        doc: Bytes of the body; 0 if this is not an object.
      len_to_8:
        value: 'is_framed ? ((8 - (len_object % 8).as<s8>).as<s8> % 8).as<s8> : 0.as<s8>'
        doc: Bytes to the next multiple of 8.
      len_padding:
        value: |
          is_framed == false ? 0.as<s8> :
          (len_to_8.as<s8> > (len_available.as<s8> - len_object.as<s8>).as<s8> ?
          (len_available.as<s8> - len_object.as<s8>).as<s8> : len_to_8.as<s8>).as<s8>
        doc: Bytes to the next multiple of 8; fewer if the file ends before that.
      is_last:
        # There are no objects without a header (has_objects).
        value: |
          is_framed == false or ofs_object.as<s8> == _root.header.tail_object_offset.as<s8> or
          (len_available.as<s8> - len_body.as<s8>).as<s8> - len_padding.as<s8> < 32
        doc: True for the tail object, and where no further object is possible.
  unknown_object:
    doc: A body whose type or size the format does not know.
    seq:
      - id: raw
        size-eos: true
        doc: The bytes as they are.
  data_object:
    -orig-id: DataObject
    doc: One `FIELD=value` that any number of entries share.
    doc-ref: spec/systemd-journal.md SDJ-013
    seq:
      - id: hash
        -requirement: SDJ-023
        type: u8
        doc: Hash of the payload, decompressed.
      - id: ofs_next_hash
        -orig-id: next_hash_offset
        -requirement: SDJ-024
        type: u8
        doc: Next DATA of the same bucket, or 0.
      - id: ofs_next_field
        -orig-id: next_field_offset
        -requirement: SDJ-025
        type: u8
        doc: Next older DATA of the same field, or 0.
      - id: ofs_entry
        -orig-id: entry_offset
        -requirement: SDJ-036
        type: u8
        doc: First entry that has this field.
      - id: ofs_entry_array
        -orig-id: entry_array_offset
        -requirement: SDJ-036
        type: u8
        doc: First array of the further entries that have it.
      - id: num_entries
        -orig-id: n_entries
        -requirement: SDJ-036
        type: u8
        doc: Number of entries that have it.
      - id: ofs_tail_entry_array
        -orig-id: tail_entry_array_offset
        -requirement: SDJ-013
        type: u4
        if: _root.is_compact
        doc: Last array of the chain.
      - id: num_tail_entries
        -orig-id: tail_entry_array_n_entries
        -requirement: SDJ-013
        type: u4
        if: _root.is_compact
        doc: Used slots of that array.
      - id: payload
        -requirement:
          - SDJ-013
          - SDJ-026
        size-eos: true
        doc: '`FIELD=value`, compressed if a flag of the object says so.'
  field_object:
    -orig-id: FieldObject
    doc: The name of a field, and the list of its values.
    doc-ref: spec/systemd-journal.md SDJ-014
    seq:
      - id: hash
        -requirement: SDJ-023
        type: u8
        doc: Hash of the name.
      - id: ofs_next_hash
        -orig-id: next_hash_offset
        -requirement: SDJ-024
        type: u8
        doc: Next FIELD of the same bucket, or 0.
      - id: ofs_head_data
        -orig-id: head_data_offset
        -requirement: SDJ-025
        type: u8
        doc: Newest DATA of this field.
      - id: payload
        -requirement: SDJ-014
        size-eos: true
        doc: The name.
  entry_object:
    -orig-id: EntryObject
    doc: One entry.
    doc-ref: spec/systemd-journal.md SDJ-015
    seq:
      - id: seqnum
        -requirement: SDJ-047
        type: u8
        doc: Sequence number, larger than that of the previous entry.
      - id: realtime
        -requirement: SDJ-015
        type: u8
        doc: Microseconds since 1970; need not increase.
      - id: monotonic
        -requirement: SDJ-015
        type: u8
        doc: Microseconds since the boot.
      - id: boot_id
        -requirement: SDJ-015
        size: 16
        doc: The boot that `monotonic` counts from.
      - id: xor_hash
        -requirement: SDJ-020
        type: u8
        doc: XOR of the Jenkins hashes of the fields as given. Never a reason to reject the entry.
      - id: items
        -requirement: SDJ-015
        type: entry_item
        repeat: expr
        repeat-expr: '(_io.size.as<s8> - 48).as<s8> / (_root.is_compact ? 4.as<s8> : 16.as<s8>).as<s8>'
        doc: The fields of the entry.
      - id: leftover
        size-eos: true
        doc: Too few bytes for an item; empty in a sound file.
  entry_item:
    -orig-id: EntryItem
    doc: One field of an entry.
    doc-ref: spec/systemd-journal.md SDJ-015
    seq:
      - id: ofs_data
        -orig-id: object_offset
        -requirement: SDJ-015
        type:
          switch-on: _root.is_compact
          cases:
            true: u4
            false: u8
        doc: The DATA object.
      - id: hash
        -requirement: SDJ-020
        type: u8
        if: _root.is_compact == false
        doc: A copy of its hash. Never a reason to reject the entry.
  hash_table_object:
    -orig-id: HashTableObject
    doc: The buckets of a hash table.
    doc-ref: spec/systemd-journal.md SDJ-016
    seq:
      - id: buckets
        -orig-id: items
        -requirement: SDJ-024
        type: hash_bucket
        repeat: expr
        repeat-expr: _io.size / 16
        doc: Bucket `hash % number of buckets` has the chain to which an object belongs.
      - id: leftover
        size-eos: true
        doc: Too few bytes for a bucket; empty in a sound file.
  hash_bucket:
    -orig-id: HashItem
    doc: First and last object of a chain; both 0 if it is empty.
    doc-ref: spec/systemd-journal.md SDJ-024
    seq:
      - id: ofs_head
        -orig-id: head_hash_offset
        -requirement: SDJ-024
        type: u8
        doc: First object.
      - id: ofs_tail
        -orig-id: tail_hash_offset
        -requirement: SDJ-024
        type: u8
        doc: Last object.
  entry_array_object:
    -orig-id: EntryArrayObject
    doc: Offsets of entries, in the main chain or in the chain of a DATA.
    doc-ref: spec/systemd-journal.md SDJ-017
    seq:
      - id: ofs_next_entry_array
        -orig-id: next_entry_array_offset
        -requirement: SDJ-033
        type: u8
        doc: Next array of the chain, or 0.
      - id: slots
        -orig-id: items
        -requirement: SDJ-034
        type: array_slot
        repeat: expr
        repeat-expr: '(_io.size.as<s8> - 8).as<s8> / (_root.is_compact ? 4.as<s8> : 8.as<s8>).as<s8>'
        doc: Offsets of entries; unused slots are 0.
      - id: leftover
        size-eos: true
        doc: Too few bytes for a slot; empty in a sound file.
  array_slot:
    doc: One slot of an entry array.
    doc-ref: spec/systemd-journal.md SDJ-034
    seq:
      - id: ofs_listed
        -requirement: SDJ-034
        type:
          switch-on: _root.is_compact
          cases:
            true: u4
            false: u8
        doc: An entry, or 0.
  tag_object:
    -orig-id: TagObject
    doc: A seal over all objects since the previous tag.
    doc-ref: spec/systemd-journal.md SDJ-018
    seq:
      - id: seqnum
        -requirement: SDJ-073
        type: u8
        doc: 1, 2, 3, …
      - id: epoch
        -requirement: SDJ-074
        type: u8
        doc: Which key made the seal.
      - id: tag
        -requirement: SDJ-072
        size: 32
        doc: HMAC-SHA256.
enums:
  state:
    0:
      id: offline
      -orig-id: STATE_OFFLINE
      doc: Closed; a writer may go on with it.
    1:
      id: online
      -orig-id: STATE_ONLINE
      doc: A writer has it open, or died.
    2:
      id: archived
      -orig-id: STATE_ARCHIVED
      doc: Closed for good.
  object_type:
    0:
      id: unused
      -orig-id: OBJECT_UNUSED
      doc: No object.
    1:
      id: data
      -orig-id: OBJECT_DATA
      doc: A field with its value.
    2:
      id: field
      -orig-id: OBJECT_FIELD
      doc: The name of a field.
    3:
      id: entry
      -orig-id: OBJECT_ENTRY
      doc: An entry.
    4:
      id: data_hash_table
      -orig-id: OBJECT_DATA_HASH_TABLE
      doc: Finds DATA by hash.
    5:
      id: field_hash_table
      -orig-id: OBJECT_FIELD_HASH_TABLE
      doc: Finds FIELD by hash.
    6:
      id: entry_array
      -orig-id: OBJECT_ENTRY_ARRAY
      doc: Lists entries.
    7:
      id: tag
      -orig-id: OBJECT_TAG
      doc: A seal.

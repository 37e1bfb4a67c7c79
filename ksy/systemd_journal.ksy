# SPDX-License-Identifier: CC0-1.0
# The header fields have the names of the systemd source, because the recipes of
# the vectors use these names.
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
# `.as<s8>` below converts both operands to the same type, because Go does not
# mix integer types. Go is also the reason why `?:` replaces `and` where the
# second operand must be evaluated only if the first one is true.
doc: |
  The binary log of systemd-journald. The file has a header of 208 bytes or
  more, then objects, each aligned to 8 bytes, then preallocated space. Objects
  refer to each other by their offsets in the file. In compact files
  (`header.is_compact`), offsets in entries and arrays are 32 bits wide.

  This grammar describes the structure and does not check any values. It
  accepts every input, even a file that is damaged, torn, empty or of another
  format. It lists objects from the header to the tail object, as long as the
  size of each object leads to the next object. Links are exposed but not
  followed, hashes and seals are not verified, and payloads are not
  decompressed. `doc-ref` names the chapter that defines the expected result of
  reading a damaged file.
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
    doc: The file header. Absent if the file is shorter than 208 bytes.
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
      Objects in file order, up to the tail object or the first bytes that are
      not an object. If the list ends with such bytes, they are its last
      element, and their `is_framed` is false.
    doc-ref: spec/systemd-journal.md SDJ-040
  - id: rest
    -requirement: SDJ-059
    size-eos: true
    doc: |
      All bytes after the last listed object: preallocated space with any
      content. If the file is too short for a header, all bytes of the file.
    doc-ref: spec/systemd-journal.md SDJ-059
instances:
  has_header:
    value: _io.size >= 208
    doc: False if the file is shorter than the smallest header (208 bytes).
  len_header_said:
    pos: 88
    type: u8
    if: has_header
    doc: The value of `header.header_size`, read before the header is parsed.
  len_header:
    value: |
      has_header ? (len_header_said.as<s8> < 208 ? 208.as<s8> :
      (len_header_said.as<s8> > _io.size.as<s8> ? _io.size.as<s8> : len_header_said.as<s8>)) : 0.as<s8>
    doc: Size of the header in bytes, raised to 208 if smaller and limited to the size of the file.
  has_objects:
    value: 'has_header ? _io.size.as<s8> - len_header.as<s8> >= 16.as<s8> : false'
    doc: False if no object fits after the header.
  is_compact:
    value: 'has_header ? header.is_compact : false'
    doc: True if offsets in entries and arrays are 32 bits wide.
types:
  header:
    -orig-id: Header
    doc: |
      The file header. A field exists only if it ends within `header_size`,
      which is 208 in the oldest files and 272 since systemd 254.
    doc-ref: spec/systemd-journal.md SDJ-003
    seq:
      - id: signature
        -requirement: SDJ-001
        size: 8
        doc: Signature of the format, always `LPKSHHRH`.
      - id: compatible_flags
        -requirement: SDJ-006
        type: u4
        doc: |
          Flags: 1 sealed, 2 `tail_entry_boot_id` is the boot id of the last
          entry, 4 sealed without gaps.
      - id: incompatible_flags
        -requirement: SDJ-005
        type: u4
        doc: |
          Flags: 1 XZ, 2 LZ4, 4 keyed hash, 8 ZSTD, 16 compact. A reader must
          refuse a file with any other flag.
      - id: state
        -requirement: SDJ-007
        type: u1
        enum: state
        doc: 'State of the file: closed, open for writing, or archived.'
      - id: reserved
        -requirement: SDJ-008
        size: 7
        doc: Reserved bytes, all zero.
      - id: file_id
        -requirement: SDJ-008
        size: 16
        doc: Random id of the file, also the key of the keyed hash.
      - id: machine_id
        -requirement: SDJ-008
        size: 16
        doc: Id of the machine that wrote the file, or zeros.
      - id: tail_entry_boot_id
        -orig-id: boot_id
        -requirement: SDJ-008
        size: 16
        doc: Boot id of the last entry; before systemd 254, boot id of the last writer.
      - id: seqnum_id
        -requirement: SDJ-008
        size: 16
        doc: |
          Id of the sequence that the sequence numbers belong to. Several files
          may share this id.
      - id: header_size
        -requirement: SDJ-004
        type: u8
        doc: Size of the header in bytes, which is also the offset of the first object.
      - id: arena_size
        -requirement: SDJ-009
        type: u8
        doc: Number of bytes after the header, including preallocated space.
      - id: data_hash_table_offset
        -requirement: SDJ-016
        type: u8
        doc: |
          Offset of the first bucket of the DATA hash table, 16 bytes after the
          start of the DATA_HASH_TABLE object.
      - id: data_hash_table_size
        -requirement: SDJ-016
        type: u8
        doc: Total size of the buckets of the DATA hash table, in bytes.
      - id: field_hash_table_offset
        -requirement: SDJ-016
        type: u8
        doc: |
          Offset of the first bucket of the FIELD hash table, 16 bytes after
          the start of the FIELD_HASH_TABLE object.
      - id: field_hash_table_size
        -requirement: SDJ-016
        type: u8
        doc: Total size of the buckets of the FIELD hash table, in bytes.
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
        doc: Number of entries that the main chain lists.
      - id: tail_entry_seqnum
        -requirement: SDJ-049
        type: u8
        doc: |
          Sequence number of the last entry; in a file without entries, the
          sequence number from which the next entry continues.
      - id: head_entry_seqnum
        -requirement: SDJ-049
        type: u8
        doc: Sequence number of the first entry; 0 in a file without entries.
      - id: entry_array_offset
        -requirement: SDJ-033
        type: u8
        doc: Offset of the first entry array of the main chain.
      - id: head_entry_realtime
        -requirement: SDJ-049
        type: u8
        doc: Realtime of the first entry, in microseconds since 1970.
      - id: tail_entry_realtime
        -requirement: SDJ-049
        type: u8
        doc: Realtime of the last entry, in microseconds since 1970.
      - id: tail_entry_monotonic
        -requirement: SDJ-049
        type: u8
        doc: Monotonic time of the last entry, in microseconds since the boot.
      - id: n_data
        -requirement: SDJ-049
        type: u8
        if: _io.size >= 216
        doc: Number of DATA objects. Written since systemd 187.
      - id: n_fields
        -requirement: SDJ-049
        type: u8
        if: _io.size >= 224
        doc: Number of FIELD objects. Written since systemd 187.
      - id: n_tags
        -requirement: SDJ-049
        type: u8
        if: _io.size >= 232
        doc: Number of TAG objects. Written since systemd 189.
      - id: n_entry_arrays
        -requirement: SDJ-049
        type: u8
        if: _io.size >= 240
        doc: Number of ENTRY_ARRAY objects. Written since systemd 189.
      - id: data_hash_chain_depth
        -requirement: SDJ-083
        type: u8
        if: _io.size >= 248
        doc: Largest number of links followed in a look-up of a DATA. Written since systemd 246.
      - id: field_hash_chain_depth
        -requirement: SDJ-083
        type: u8
        if: _io.size >= 256
        doc: Largest number of links followed in a look-up of a FIELD. Written since systemd 246.
      - id: tail_entry_array_offset
        -requirement: SDJ-049
        type: u4
        if: _io.size >= 260
        doc: |
          Lower 32 bits of the offset of the last entry array of the main
          chain. Written since systemd 252.
      - id: tail_entry_array_n_entries
        -requirement: SDJ-049
        type: u4
        if: _io.size >= 264
        doc: |
          Number of used slots in the last entry array of the main chain.
          Written since systemd 252.
      - id: tail_entry_offset
        -requirement: SDJ-049
        type: u8
        if: _io.size >= 272
        doc: Offset of the last entry. Written since systemd 254.
      - id: unknown
        -requirement: SDJ-003
        size-eos: true
        doc: Header fields of later versions, or fewer bytes than the next field needs.
    instances:
      is_compact:
        -requirement: SDJ-005
        value: (incompatible_flags & 16) != 0
        doc: True if offsets in entries and arrays are 32 bits wide.
      is_keyed_hash:
        -requirement: SDJ-022
        value: (incompatible_flags & 4) != 0
        doc: True if hashes are SipHash-2-4 with `file_id` as key.
      is_sealed:
        -requirement: SDJ-006
        value: (compatible_flags & 1) != 0
        doc: True if the header has the sealed flag.
  journal_object:
    -orig-id: Object
    -labels:
      - type
    doc: An object and the padding that follows the object.
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
        doc: Type of the object, which determines the type of the body.
      - id: flags
        -requirement: SDJ-026
        type: u1
        doc: |
          Compression flags: 1 XZ, 2 LZ4, 4 ZSTD. Only a DATA may have them.
          Readers ignore other flags.
      - id: reserved
        -requirement: SDJ-010
        size: 6
        doc: Reserved bytes, which readers ignore.
      - id: len_object
        -orig-id: size
        -requirement: SDJ-010
        type: u8
        doc: Size of the object in bytes, including its 16-byte header but not the padding.
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
        doc: The object without its 16-byte header.
      - id: padding
        -requirement: SDJ-012
        size: len_padding.as<s8>
        doc: Padding up to the next multiple of 8, which readers ignore.
    instances:
      len_available:
        value: _io.size.as<s8> - ofs_object.as<s8>
        doc: Number of bytes from the start of the object to the end of the file.
      type_code:
        pos: ofs_object
        type: u1
        doc: Type of the object as a number, even if the enum has no name for it.
      is_framed:
        -requirement: SDJ-011
        value: |
          type_code >= 1 and type_code <= 7 and len_object.as<s8> >= 17 and
          len_object.as<s8> <= len_available.as<s8>
        doc: |
          False if the type is unknown, the size is below 17, or the object
          does not fit into the file.
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
        doc: |
          Number of the type that the body is parsed as; 0 if the bytes are not
          an object, or if the size does not fit the type.
      len_body:
        value: 'is_framed ? (len_object.as<s8> - 16.as<s8>).as<s8> : 0.as<s8>'
        doc: Size of the body in bytes; 0 if `is_framed` is false.
      len_to_8:
        value: 'is_framed ? ((8 - (len_object % 8).as<s8>).as<s8> % 8).as<s8> : 0.as<s8>'
        doc: Number of bytes from the end of the object to the next multiple of 8.
      len_padding:
        value: |
          is_framed == false ? 0.as<s8> :
          (len_to_8.as<s8> > (len_available.as<s8> - len_object.as<s8>).as<s8> ?
          (len_available.as<s8> - len_object.as<s8>).as<s8> : len_to_8.as<s8>).as<s8>
        doc: 'Size of the padding in bytes: up to the next multiple of 8 or the end of the file.'
      is_last:
        # Objects are parsed only if the file has a header (has_objects), so `header` is present here.
        value: |
          is_framed == false or ofs_object.as<s8> == _root.header.tail_object_offset.as<s8> or
          (len_available.as<s8> - len_body.as<s8>).as<s8> - len_padding.as<s8> < 32
        doc: |
          True if this is the tail object, if these bytes are not an object, or
          if the rest of the file is too short for another object.
  unknown_object:
    doc: A body whose type is unknown, or whose size does not fit the type.
    seq:
      - id: raw
        size-eos: true
        doc: The unparsed bytes of the body.
  data_object:
    -orig-id: DataObject
    -checksum:
      algorithm: systemd-journal-hash
      field: hash
      covers: payload
    doc: One `FIELD=value`, which any number of entries may share.
    doc-ref: spec/systemd-journal.md SDJ-013
    seq:
      - id: hash
        -requirement: SDJ-023
        type: u8
        doc: Hash of the decompressed payload.
      - id: ofs_next_hash
        -orig-id: next_hash_offset
        -requirement: SDJ-024
        type: u8
        doc: Offset of the next DATA in the same bucket, or 0.
      - id: ofs_next_field
        -orig-id: next_field_offset
        -requirement: SDJ-025
        type: u8
        doc: Offset of the next older DATA with the same field name, or 0.
      - id: ofs_entry
        -orig-id: entry_offset
        -requirement: SDJ-036
        type: u8
        doc: Offset of the first entry that contains this DATA.
      - id: ofs_entry_array
        -orig-id: entry_array_offset
        -requirement: SDJ-036
        type: u8
        doc: Offset of the first entry array that lists the other entries that contain this DATA.
      - id: num_entries
        -orig-id: n_entries
        -requirement: SDJ-036
        type: u8
        doc: Number of entries that contain this DATA.
      - id: ofs_tail_entry_array
        -orig-id: tail_entry_array_offset
        -requirement: SDJ-013
        type: u4
        if: _root.is_compact
        doc: Offset of the last entry array of this DATA.
      - id: num_tail_entries
        -orig-id: tail_entry_array_n_entries
        -requirement: SDJ-013
        type: u4
        if: _root.is_compact
        doc: Number of used slots in the last entry array of this DATA.
      - id: payload
        -requirement:
          - SDJ-013
          - SDJ-026
        size-eos: true
        doc: The payload `FIELD=value`, compressed if the object has a compression flag.
  field_object:
    -orig-id: FieldObject
    -checksum:
      algorithm: systemd-journal-hash
      field: hash
      covers: payload
    doc: The name of a field, and the start of the list of its values.
    doc-ref: spec/systemd-journal.md SDJ-014
    seq:
      - id: hash
        -requirement: SDJ-023
        type: u8
        doc: Hash of the field name.
      - id: ofs_next_hash
        -orig-id: next_hash_offset
        -requirement: SDJ-024
        type: u8
        doc: Offset of the next FIELD in the same bucket, or 0.
      - id: ofs_head_data
        -orig-id: head_data_offset
        -requirement: SDJ-025
        type: u8
        doc: Offset of the newest DATA with this field name.
      - id: payload
        -requirement: SDJ-014
        size-eos: true
        doc: Name of the field.
  entry_object:
    -orig-id: EntryObject
    doc: 'One entry of the journal: its times and references to its fields.'
    doc-ref: spec/systemd-journal.md SDJ-015
    seq:
      - id: seqnum
        -requirement: SDJ-047
        type: u8
        doc: Sequence number, larger than that of the previous entry.
      - id: realtime
        -requirement: SDJ-015
        type: u8
        doc: Time of the entry in microseconds since 1970. The time of the next entry may be lower.
      - id: monotonic
        -requirement: SDJ-015
        type: u8
        doc: Time of the entry in microseconds since the boot.
      - id: boot_id
        -requirement: SDJ-015
        size: 16
        doc: Id of the boot in which the entry was written. `monotonic` counts from this boot.
      - id: xor_hash
        -requirement: SDJ-020
        type: u8
        doc: |
          XOR of the Jenkins hashes of all fields given to the writer. A reader
          must not reject an entry because of this value.
      - id: items
        -requirement: SDJ-015
        type: entry_item
        repeat: expr
        repeat-expr: '(_io.size.as<s8> - 48).as<s8> / (_root.is_compact ? 4.as<s8> : 16.as<s8>).as<s8>'
        doc: References to the fields of the entry.
      - id: leftover
        size-eos: true
        doc: Bytes at the end that are too few for an item; empty in an undamaged file.
  entry_item:
    -orig-id: EntryItem
    doc: Reference to one field of an entry.
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
        doc: Offset of the DATA object that holds the field.
      - id: hash
        -requirement: SDJ-020
        type: u8
        if: _root.is_compact == false
        doc: Copy of the hash of the DATA. A reader must not reject an entry because of this value.
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
        doc: |
          Buckets of the table. An object belongs to the bucket with the number
          `hash % number of buckets`.
      - id: leftover
        size-eos: true
        doc: Bytes at the end that are too few for a bucket; empty in an undamaged file.
  hash_bucket:
    -orig-id: HashItem
    doc: Offsets of the first and last object of a chain; both 0 if the chain is empty.
    doc-ref: spec/systemd-journal.md SDJ-024
    seq:
      - id: ofs_head
        -orig-id: head_hash_offset
        -requirement: SDJ-024
        type: u8
        doc: Offset of the first object of the chain.
      - id: ofs_tail
        -orig-id: tail_hash_offset
        -requirement: SDJ-024
        type: u8
        doc: Offset of the last object of the chain.
  entry_array_object:
    -orig-id: EntryArrayObject
    doc: A list of entry offsets, part of the main chain or of the chain of a DATA.
    doc-ref: spec/systemd-journal.md SDJ-017
    seq:
      - id: ofs_next_entry_array
        -orig-id: next_entry_array_offset
        -requirement: SDJ-033
        type: u8
        doc: Offset of the next array of the chain, or 0.
      - id: slots
        -orig-id: items
        -requirement: SDJ-034
        type: array_slot
        repeat: expr
        repeat-expr: '(_io.size.as<s8> - 8).as<s8> / (_root.is_compact ? 4.as<s8> : 8.as<s8>).as<s8>'
        doc: Slots of the array; unused slots are 0.
      - id: leftover
        size-eos: true
        doc: Bytes at the end that are too few for a slot; empty in an undamaged file.
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
        doc: Offset of an entry, or 0 in an unused slot.
  tag_object:
    -orig-id: TagObject
    doc: A seal over all objects since the previous tag.
    doc-ref: spec/systemd-journal.md SDJ-018
    seq:
      - id: seqnum
        -requirement: SDJ-073
        type: u8
        doc: Number of the tag, counted from 1 in each file.
      - id: epoch
        -requirement: SDJ-074
        type: u8
        doc: Epoch of the tag, which selects the key of the seal.
      - id: tag
        -requirement: SDJ-072
        size: 32
        doc: The seal, an HMAC-SHA256.
enums:
  state:
    0:
      id: offline
      -orig-id: STATE_OFFLINE
      doc: The file is closed. A writer may append to it.
    1:
      id: online
      -orig-id: STATE_ONLINE
      doc: The file is open for writing, or the writer crashed.
    2:
      id: archived
      -orig-id: STATE_ARCHIVED
      doc: The file is closed, and no writer will append to it.
  object_type:
    0:
      id: unused
      -orig-id: OBJECT_UNUSED
      doc: Not a valid object type.
    1:
      id: data
      -orig-id: OBJECT_DATA
      doc: A field with its value (DATA).
    2:
      id: field
      -orig-id: OBJECT_FIELD
      doc: The name of a field (FIELD).
    3:
      id: entry
      -orig-id: OBJECT_ENTRY
      doc: An entry (ENTRY).
    4:
      id: data_hash_table
      -orig-id: OBJECT_DATA_HASH_TABLE
      doc: Hash table for finding a DATA by its hash.
    5:
      id: field_hash_table
      -orig-id: OBJECT_FIELD_HASH_TABLE
      doc: Hash table for finding a FIELD by its hash.
    6:
      id: entry_array
      -orig-id: OBJECT_ENTRY_ARRAY
      doc: List of entries (ENTRY_ARRAY).
    7:
      id: tag
      -orig-id: OBJECT_TAG
      doc: A seal (TAG).

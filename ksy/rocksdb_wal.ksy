# SPDX-License-Identifier: CC0-1.0
meta:
  id: rocksdb_wal
  title: RocksDB and Pebble write-ahead log
  application:
    - RocksDB
    - Pebble
  file-extension: log
  tags:
    - database
    - log
  license: CC0-1.0
  ks-version: 0.11
  endian: le
# `.as<s8>` below converts both operands to the same type, because Go does not
# mix integer types. Go is also the reason why `?:` replaces `and` where the
# second operand must be evaluated only if the first one is true.
doc: |
  The write-ahead log of RocksDB and Pebble (`000012.log`). The file consists
  of 32 KiB blocks of physical records, as in a LevelDB log, with headers of 7,
  11 or 19 bytes. The type determines the size of the header. The types 9 to 11
  have different meanings in the two systems. The grammar guesses from the
  first physical record of a block which system wrote the block
  (`is_wal_sync`). The guess may be wrong: a reader must try both meanings,
  compare the checksums, and parse a `record` with the right parameter.

  This grammar describes the structure and does not check any values. It
  accepts every input. Lengths that are too large are clamped (`is_truncated`).
  Checksums are exposed with the bytes that they cover (`checksum_input`) but
  not verified. Log numbers are not compared. Fragments are not joined and not
  decompressed.
doc-ref:
  - spec/rocksdb-wal.md
  - https://github.com/facebook/rocksdb/blob/main/db/log_format.h
  - https://github.com/cockroachdb/pebble/blob/master/record/record.go
seq:
  - id: blocks
    -orig-id: kBlockSize
    -requirement: RDB-001
    -stride: 32768
    size: '_io.size - _io.pos < 32768 ? (_io.size - _io.pos).as<s8> : 32768.as<s8>'
    type: block
    repeat: eos
    doc: Blocks of 32768 bytes. Only the last block may be shorter. An empty file has no blocks.
    doc-ref: spec/rocksdb-wal.md RDB-001
types:
  block:
    doc: 'A block: physical records up to a zero header, or until fewer than seven bytes are left.'
    doc-ref: spec/rocksdb-wal.md RDB-001 to RDB-006
    seq:
      - id: records
        -requirement:
          - RDB-002
          - RDB-003
          - RDB-040
        type: record(_io.pos, is_wal_sync)
        repeat: until
        repeat-until: _.is_zero or _io.size - _io.pos < 7
        if: has_records
        doc: |
          Physical records in file order. Physical records after damage or
          after the end of a recycled log may be garbage.
        doc-ref: spec/rocksdb-wal.md RDB-040
      - id: zero_fill
        -requirement:
          - RDB-019
          - RDB-024
          - RDB-045
        size-eos: true
        if: ends_with_zero_header
        doc: |
          The rest of the block after a zero header: space that was never
          written, a trailer of more than seven bytes, or space that was too
          short for metadata.
        doc-ref: spec/rocksdb-wal.md RDB-019, RDB-024, RDB-045
      - id: trailer
        -requirement:
          - RDB-004
          - RDB-041
        size-eos: true
        doc: |
          The last zero to six bytes of the block. If the block is cut short by
          the end of the file, these bytes may be the start of a header.
        doc-ref: spec/rocksdb-wal.md RDB-004
    instances:
      has_records:
        value: _io.size >= 7
        doc: False if the block is too short for a header. `records` is then absent.
      ends_with_zero_header:
        value: 'has_records ? records.last.is_zero : false'
        doc: True if a zero header ended the records of this block.
      len_first:
        pos: 4
        type: u2
        if: has_records
        doc: Length field of the first header in the block.
      type_first:
        pos: 6
        type: u1
        if: has_records
        doc: Type field of the first header in the block.
      upper_bits_first:
        pos: 17
        type: u2
        if: _io.size >= 19
        doc: |
          Upper 16 bits of the sync offset, if the block begins with a 19-byte
          header. They are then zero, unless the sync offset is 256 TiB or
          more.
      is_wal_sync:
        -requirement: RDB-013
        value: |
          type_first < 9 or type_first > 12 ? false :
          type_first == 12 ? true :
          (type_first == 9 ? len_first != 4 : (len_first == 0 or len_first % 6 != 0)) ? true :
          _io.size >= 19 ? upper_bits_first == 0 : false
        if: has_records
        doc: |
          True if the block probably begins with a 19-byte header. RocksDB's
          metadata have the same types, but only certain lengths.
        doc-ref: spec/rocksdb-wal.md RDB-013
  record:
    -orig-id: physical record
    -labels:
      - header.type
    -checksum:
      algorithm: masked-crc-32c
      field: header.checksum
      covers: header.type to data
      unless:
        - is_crossing_block
        - is_truncated
        - is_zero
        - is_clean_close
    doc: 'A physical record: a whole record, a fragment of a record, or metadata.'
    doc-ref: spec/rocksdb-wal.md RDB-002
    params:
      - id: ofs_record
        type: s8
        doc: Offset of the header in its block.
      - id: is_wal_sync
        type: bool
        doc: True if the types 9 to 12 have 19-byte headers.
    seq:
      - id: header
        -requirement: RDB-002
        type: record_header(ofs_record, is_wal_sync)
        doc: The 7, 11 or 19 bytes before the data.
        doc-ref: spec/rocksdb-wal.md RDB-006
      - id: data
        -requirement:
          - RDB-002
          - RDB-003
          - RDB-041
          - RDB-043
        size: 'is_truncated ? len_available.as<s8> : header.len_data.as<s8>'
        doc: |
          Data of the physical record, compressed if the log is compressed. It
          is shorter than `len_data` if the block or the file ends too early.
          If the header is cut off, its bytes from the eighth on are here.
        doc-ref: spec/rocksdb-wal.md RDB-002, RDB-041, RDB-043
    instances:
      checksum_input:
        -requirement:
          - RDB-005
          - RDB-044
        pos: ofs_record + 6
        size: header.len_header.as<s8> - 6 + data.length.as<s8>
        doc: |
          The bytes that `header.checksum` covers: all bytes from the type to
          the end of the data, but not the length.
        doc-ref: spec/rocksdb-wal.md RDB-005
      len_available:
        value: _io.size.as<s8> - ofs_record - header.len_header.as<s8>
        doc: Number of bytes from the end of the header to the end of the block.
      is_truncated:
        -requirement:
          - RDB-041
          - RDB-043
        value: header.is_cut or header.len_data.as<s8> > len_available.as<s8>
        doc: True if `data` was clamped or the header is cut off.
      is_crossing_block:
        -requirement:
          - RDB-003
          - RDB-043
        value: ofs_record + header.len_full.as<s8> + header.len_data.as<s8> > 32768
        doc: |
          True if the physical record extends beyond the end of a full block.
          An interrupted write cannot cause this.
      is_zero:
        -requirement:
          - RDB-019
          - RDB-045
        value: header.type == record_type::zero and header.len_data == 0
        doc: True if the header is a zero header, which ends the records of its block.
      is_clean_close:
        -requirement: RDB-026
        value: |
          header.type == record_type::recyclable_full and header.len_data == 0 and
          header.checksum == 0 and header.is_cut == false
        doc: |
          True if this is a clean close, which Pebble writes when it closes a
          log. `header.log_number` is then the number of the next log.
  record_header:
    doc: Header of a physical record, 7, 11 or 19 bytes.
    doc-ref: spec/rocksdb-wal.md RDB-002, RDB-006
    params:
      - id: ofs_header
        type: s8
        doc: Offset of the header in its block.
      - id: is_wal_sync
        type: bool
        doc: True if the types 9 to 12 have 19-byte headers.
    seq:
      - id: checksum
        -orig-id: crc
        -requirement:
          - RDB-005
          - RDB-008
        type: u4
        doc: Masked CRC-32C of `checksum_input`, as in a LevelDB log.
        doc-ref: spec/rocksdb-wal.md RDB-005
      - id: len_data
        -orig-id: length
        -requirement:
          - RDB-002
          - RDB-043
        type: u2
        doc: |
          Length of the data in bytes, without the header. The checksum does
          not cover this length.
        doc-ref: spec/rocksdb-wal.md RDB-002
      - id: type
        -orig-id: type
        -requirement:
          - RDB-006
          - RDB-011
          - RDB-047
        type: u1
        enum: record_type
        doc: |
          Type of the physical record, which determines the size of the header.
          Values outside the enum are unknown types. In a legacy log, those
          from 128 on are ignorable.
        doc-ref: spec/rocksdb-wal.md RDB-006
      - id: log_number
        -orig-id: log_num
        -requirement:
          - RDB-014
          - RDB-015
        type: u4
        if: len_header >= 11
        doc: |
          Low half of the log number. After the end of a recycled log, it is
          the number of another log.
        doc-ref: spec/rocksdb-wal.md RDB-014, RDB-015
      - id: ofs_synced
        -orig-id: syncedOffset
        -requirement:
          - RDB-017
          - RDB-022
        type: u8
        if: len_header == 19
        doc: |
          Sync offset: the number of bytes of the log that were synced before
          this physical record was written.
        doc-ref: spec/rocksdb-wal.md RDB-017
    instances:
      type_code:
        pos: ofs_header + 6
        type: u1
        doc: Type of the physical record as a number.
      len_full:
        -requirement: RDB-006
        value: |
          is_wal_sync and type_code >= 9 and type_code <= 12 ? 19 :
          type_code >= 5 and type_code <= 8 or type_code == 11 or type_code == 131 ? 11 : 7
        doc: Size in bytes of a whole header of this type.
        doc-ref: spec/rocksdb-wal.md RDB-006
      is_cut:
        -requirement: RDB-041
        value: _io.size.as<s8> - ofs_header < len_full.as<s8>
        doc: True if the block or the file ends inside the header.
      len_header:
        value: 'is_cut ? 7 : len_full'
        doc: Size in bytes of the parsed part of the header.
enums:
  record_type:
    0:
      id: zero
      -orig-id: kZeroType
      doc: Space that was never written, if the length is also 0; otherwise an unknown type.
    1:
      id: full
      -orig-id: kFullType
      doc: A whole record.
    2:
      id: first
      -orig-id: kFirstType
      doc: The first fragment of a record.
    3:
      id: middle
      -orig-id: kMiddleType
      doc: A fragment between the first and the last.
    4:
      id: last
      -orig-id: kLastType
      doc: The last fragment of a record.
    5:
      id: recyclable_full
      -orig-id: kRecyclableFullType
      doc: A whole record, with the log number.
    6:
      id: recyclable_first
      -orig-id: kRecyclableFirstType
      doc: The first fragment of a record, with the log number.
    7:
      id: recyclable_middle
      -orig-id: kRecyclableMiddleType
      doc: A fragment between the first and the last, with the log number.
    8:
      id: recyclable_last
      -orig-id: kRecyclableLastType
      doc: The last fragment of a record, with the log number.
    9:
      id: compression_or_sync_full
      -orig-id: kSetCompressionType
      doc: Compression type (RocksDB); in a WAL-sync log, a whole record.
    10:
      id: timestamps_or_sync_first
      -orig-id: kUserDefinedTimestampSizeType
      doc: Timestamp sizes (RocksDB); in a WAL-sync log, the first fragment of a record.
    11:
      id: timestamps_or_sync_middle
      -orig-id: kRecyclableUserDefinedTimestampSizeType
      doc: |
        Timestamp sizes with the log number (RocksDB); in a WAL-sync log, a
        fragment between the first and the last.
    12:
      id: sync_last
      -orig-id: walSyncLastChunkEncoding
      doc: The last fragment of a record in a WAL-sync log; otherwise an unknown type.
    130:
      id: predecessor
      -orig-id: kPredecessorWALInfoType
      doc: Description of the preceding log (RocksDB).
    131:
      id: recyclable_predecessor
      -orig-id: kRecyclePredecessorWALInfoType
      doc: Description of the preceding log, with the log number (RocksDB).

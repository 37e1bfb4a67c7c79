# SPDX-License-Identifier: CC0-1.0
meta:
  id: leveldb_log
  title: LevelDB log file (write-ahead log and MANIFEST)
  application: LevelDB
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
  The log of LevelDB: the write-ahead log (`000003.log`) and, in the same
  format, the list of version edits (`MANIFEST-000002`). The file is a sequence
  of 32 KiB blocks without a file header. Each block holds physical records and
  up to six bytes of trailer. A physical record has a 7-byte header and at most
  32761 bytes of data. A record that does not fit into the rest of its block is
  stored as a FIRST, any number of MIDDLE and a LAST physical record.

  This grammar describes the structure and does not check any values. It
  accepts every input, even a file that is damaged, torn, empty or of another
  format. Lengths that are too large are clamped (`is_truncated`). Checksums
  are exposed with the bytes that they cover (`checksum_input`) but not
  verified, and fragments are not joined. `doc-ref` names the chapter that
  defines the expected result of reading a damaged log.
doc-ref:
  - spec/leveldb-log.md
  - https://github.com/google/leveldb/blob/main/doc/log_format.md
  - https://github.com/google/leveldb/blob/main/db/log_format.h
seq:
  - id: blocks
    -orig-id: kBlockSize
    -requirement: LDB-001
    -stride: 32768
    size: '_io.size - _io.pos < 32768 ? (_io.size - _io.pos).as<s8> : 32768.as<s8>'
    type: block
    repeat: eos
    doc: Blocks of 32768 bytes. Only the last block may be shorter. An empty file has no blocks.
    doc-ref: spec/leveldb-log.md LDB-001
types:
  block:
    doc: 'A block: physical records up to a zero header, or until fewer than seven bytes are left.'
    doc-ref: spec/leveldb-log.md LDB-001 to LDB-005
    seq:
      - id: records
        -requirement:
          - LDB-002
          - LDB-003
          - LDB-020
        type: record(_io.pos)
        repeat: until
        repeat-until: _.is_zero or _io.size - _io.pos < sizeof<record_header>
        if: has_records
        doc: |
          Physical records in file order. Lengths after damage are unreliable,
          so physical records after damage may be garbage.
        doc-ref: spec/leveldb-log.md LDB-020
      - id: zero_fill
        -requirement:
          - LDB-025
          - LDB-026
          - LDB-027
        size-eos: true
        if: ends_with_zero_header
        doc: |
          The rest of the block after a zero header: preallocated space that
          was never written. It is all zeros in an undamaged log. Readers skip
          any content.
        doc-ref: spec/leveldb-log.md LDB-025 to LDB-027
      - id: trailer
        -requirement:
          - LDB-004
          - LDB-005
          - LDB-021
        size-eos: true
        doc: |
          The last zero to six bytes of the block, too few for a header. A
          writer fills them with zeros when it adds the next record. Readers
          skip any content. If the block is cut short by the end of the file,
          these bytes may also be the start of a header.
        doc-ref: spec/leveldb-log.md LDB-004
    instances:
      has_records:
        value: _io.size >= sizeof<record_header>
        doc: False if the block is too short for a header. `records` is then absent.
      ends_with_zero_header:
        value: 'has_records ? records.last.is_zero : false'
        doc: True if a zero header ended the records of this block.
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
    doc: 'A physical record: a whole record or one fragment of a record.'
    doc-ref: spec/leveldb-log.md LDB-002
    params:
      - id: ofs_record
        type: s8
        doc: Offset of the header in its block.
    seq:
      - id: header
        -requirement: LDB-002
        type: record_header
        doc: The seven bytes before the data.
        doc-ref: spec/leveldb-log.md LDB-002
      - id: data
        -requirement:
          - LDB-002
          - LDB-003
          - LDB-022
          - LDB-023
        # Never negative: a record is parsed only if the block has enough bytes for its header.
        size: 'is_truncated ? len_available.as<s8> : header.len_data.as<s8>'
        doc: |
          The whole record or a fragment of it. The data is shorter than
          `len_data` if the block or the file ends too early.
        doc-ref: spec/leveldb-log.md LDB-002, LDB-022, LDB-023
    instances:
      checksum_input:
        -requirement:
          - LDB-006
          - LDB-028
        pos: ofs_record + 6
        size: data.length + 1
        doc: |
          The bytes that `header.checksum` covers: the type byte and the data,
          but not the length.
        doc-ref: spec/leveldb-log.md LDB-006
      len_available:
        value: _io.size - ofs_record - sizeof<record_header>
        doc: Number of bytes from the end of the header to the end of the block.
      is_truncated:
        -requirement:
          - LDB-022
          - LDB-023
        value: header.len_data.as<s8> > len_available.as<s8>
        doc: True if `data` was clamped.
      is_crossing_block:
        -requirement:
          - LDB-003
          - LDB-023
          - LDB-024
        value: ofs_record + sizeof<record_header> + header.len_data.as<s8> > 32768
        doc: |
          True if the data extends beyond the end of a full block. An
          interrupted write cannot cause this.
      is_zero:
        -requirement:
          - LDB-025
          - LDB-026
        value: header.type == record_type::zero and header.len_data == 0
        doc: |
          True if the header is a zero header, which ends the records of its
          block. The checksum of a zero header may have any value.
  record_header:
    doc: Header of a physical record, 7 bytes.
    doc-ref: spec/leveldb-log.md LDB-002
    seq:
      - id: checksum
        -orig-id: crc
        -requirement:
          - LDB-006
          - LDB-007
          - LDB-008
        type: u4
        doc: |
          Masked CRC-32C of `checksum_input`: the CRC (Castagnoli, reflected
          polynomial 0x82f63b78) rotated right by 15 bits, plus 0xa282ead8,
          modulo 2^32. Every value is a legal checksum, even zero.
        doc-ref: spec/leveldb-log.md LDB-006 to LDB-008
      - id: len_data
        -orig-id: length
        -requirement:
          - LDB-002
          - LDB-022
          - LDB-023
        type: u2
        doc: Length of the data in bytes, at most 32761. The checksum does not cover this length.
        doc-ref: spec/leveldb-log.md LDB-002
      - id: type
        -orig-id: type
        -requirement:
          - LDB-002
          - LDB-029
          - LDB-030
        type: u1
        enum: record_type
        doc: |
          Type of the physical record: a whole record, or a first, middle or
          last fragment. Values outside the enum are unknown types. RocksDB and
          Pebble use some of these values with longer headers, which this
          grammar does not describe.
        doc-ref: spec/leveldb-log.md LDB-002, LDB-029, LDB-043
enums:
  record_type:
    0:
      id: zero
      -orig-id: kZeroType
      doc: Preallocated space, if the length is also 0; otherwise an unknown type.
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

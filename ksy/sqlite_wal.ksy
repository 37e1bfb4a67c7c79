# SPDX-License-Identifier: CC0-1.0
meta:
  id: sqlite_wal
  title: SQLite write-ahead log
  application: SQLite
  file-extension: db-wal
  tags:
    - database
    - log
  license: CC0-1.0
  ks-version: 0.11
  endian: be
# `.as<s8>` below converts both operands to the same type, because Go does not
# mix integer types.
doc: |
  The write-ahead log of SQLite, the file `NAME-wal` in the directory of the
  database `NAME`. The file has a header of 32 bytes and slots of equal size.
  Each slot has a header of 24 bytes and the image of a database page. A frame
  whose database size is not 0 ends a transaction. After a checkpoint, SQLite
  starts again at the first slot, so the last slots may hold frames of an older
  generation, which have other salts.

  This grammar describes the structure and does not check any values. It
  accepts every input. If the file is shorter than the header, the whole file
  is in `rest`. If the page size in the header is not valid, all bytes after
  the header are in `rest`. Checksums and salts are exposed but not compared.
doc-ref:
  - spec/sqlite-wal.md
  - https://sqlite.org/fileformat2.html#the_write_ahead_log
  - https://github.com/sqlite/sqlite/blob/master/src/wal.c
seq:
  - id: header
    -orig-id: WAL_HDRSIZE
    -requirement:
      - SQW-001
      - SQW-002
    type: file_header
    if: has_header
    doc: The first 32 bytes of the file. Absent if the file is shorter.
    doc-ref: spec/sqlite-wal.md SQW-002
  - id: frames
    -requirement:
      - SQW-001
      - SQW-004
      - SQW-030
    type: frame(header.page_size)
    repeat: expr
    repeat-expr: num_frames
    if: has_frames
    doc: |
      All whole slots of the file. The chapter numbers slots from 1, this list
      from 0. A slot may hold a frame of an older generation, or zeros.
    doc-ref: spec/sqlite-wal.md SQW-004
  - id: rest
    -requirement:
      - SQW-021
      - SQW-033
    size-eos: true
    doc: |
      Bytes after the last whole slot, which are the start of a slot that is
      cut off by the end of the file; empty if the file ends with a whole slot.
      The whole file, if the file is too short for a header. All bytes after
      the header, if the page size is not valid.
    doc-ref: spec/sqlite-wal.md SQW-021, SQW-033
instances:
  has_header:
    value: _io.size >= 32
    doc: False if the file is too short for a header.
  has_frames:
    value: 'has_header ? header.has_page_size : false'
    doc: True if the file has a header with a valid page size.
  num_frames:
    value: '(_io.size.as<s8> - 32.as<s8>) / (24.as<s8> + header.page_size.as<s8>)'
    if: has_frames
    doc: Number of whole slots in the file.
types:
  file_header:
    -checksum:
      algorithm: sqlite-wal-header
      field:
        - checksum_1
        - checksum_2
      covers: magic to salt_2
    doc: The header of the file, 32 bytes.
    doc-ref: spec/sqlite-wal.md SQW-002
    seq:
      - id: magic
        -orig-id: WAL_MAGIC
        -requirement:
          - SQW-002
          - SQW-006
          - SQW-022
        type: u4
        doc: |
          Magic number, 0x377f0682 or 0x377f0683. The lowest bit gives the byte
          order of the words that checksums are computed over: 0 little-endian,
          1 big-endian. All numbers in the file are big-endian in both cases.
        doc-ref: spec/sqlite-wal.md SQW-002, SQW-006
      - id: version
        -orig-id: WAL_MAX_VERSION
        -requirement:
          - SQW-002
          - SQW-024
        type: u4
        doc: Version of the format, 3007000.
        doc-ref: spec/sqlite-wal.md SQW-002, SQW-024
      - id: page_size
        -orig-id: szPage
        -requirement:
          - SQW-002
          - SQW-003
          - SQW-023
        type: u4
        doc: Size of a database page in bytes, a power of two from 512 to 65536.
        doc-ref: spec/sqlite-wal.md SQW-003
      - id: sequence
        -orig-id: nCkpt
        -requirement: SQW-002
        type: u4
        doc: |
          Checkpoint sequence number: the number of times that the log was
          restarted after a checkpoint. SQLite counts from 0 in each new file.
        doc-ref: spec/sqlite-wal.md SQW-002
      - id: salt_1
        -orig-id: aSalt[0]
        -requirement:
          - SQW-002
          - SQW-005
        type: u4
        doc: First half of the salts, which increases by one in each generation.
        doc-ref: spec/sqlite-wal.md SQW-005
      - id: salt_2
        -orig-id: aSalt[1]
        -requirement:
          - SQW-002
          - SQW-005
        type: u4
        doc: Second half of the salts, a new random number in each generation.
        doc-ref: spec/sqlite-wal.md SQW-005
      - id: checksum_1
        -orig-id: aFrameCksum[0]
        -requirement: SQW-007
        type: u4
        doc: First half of the checksum over the first 24 bytes of the file.
        doc-ref: spec/sqlite-wal.md SQW-007
      - id: checksum_2
        -orig-id: aFrameCksum[1]
        -requirement: SQW-007
        type: u4
        doc: Second half of the checksum over the first 24 bytes of the file.
        doc-ref: spec/sqlite-wal.md SQW-007
    instances:
      has_page_size:
        -requirement: SQW-003
        value: >-
          page_size == 512 or page_size == 1024 or page_size == 2048
          or page_size == 4096 or page_size == 8192 or page_size == 16384
          or page_size == 32768 or page_size == 65536
        doc: True if the page size is a power of two from 512 to 65536.
  frame:
    -labels:
      - header.is_commit
    -checksum:
      algorithm: sqlite-wal-frame
      field:
        - header.checksum_1
        - header.checksum_2
      covers:
        - header.page_number to header.db_pages
        - page
    doc: A slot. It holds a frame, unless no frame was written to it.
    doc-ref: spec/sqlite-wal.md SQW-004
    params:
      - id: page_size
        type: u4
        doc: Size of the page image in bytes.
    seq:
      - id: header
        -requirement: SQW-004
        type: frame_header
        doc: The 24 bytes before the page image.
        doc-ref: spec/sqlite-wal.md SQW-004
      - id: page
        -orig-id: pData
        -requirement:
          - SQW-004
          - SQW-008
        size: page_size
        doc: The image of the database page after the transaction.
        doc-ref: spec/sqlite-wal.md SQW-004
  frame_header:
    doc: The header of a frame, 24 bytes.
    doc-ref: spec/sqlite-wal.md SQW-004
    seq:
      - id: page_number
        -orig-id: iPage
        -requirement:
          - SQW-004
          - SQW-010
        type: u4
        doc: Number of the page in the database, from 1.
        doc-ref: spec/sqlite-wal.md SQW-004
      - id: db_pages
        -orig-id: nTruncate
        -requirement:
          - SQW-004
          - SQW-011
        type: u4
        doc: |
          In the last frame of a transaction, the size of the database after
          the transaction, in pages; 0 in all other frames.
        doc-ref: spec/sqlite-wal.md SQW-011
      - id: salt_1
        -orig-id: aSalt[0]
        -requirement: SQW-005
        type: u4
        doc: First half of the salts of the frame's generation.
        doc-ref: spec/sqlite-wal.md SQW-005
      - id: salt_2
        -orig-id: aSalt[1]
        -requirement: SQW-005
        type: u4
        doc: Second half of the salts of the frame's generation.
        doc-ref: spec/sqlite-wal.md SQW-005
      - id: checksum_1
        -orig-id: aFrameCksum[0]
        -requirement:
          - SQW-006
          - SQW-008
        type: u4
        doc: |
          First half of the running checksum after this frame. The checksum
          covers the page number, the database size and the image. It continues
          from the checksum of the previous frame.
        doc-ref: spec/sqlite-wal.md SQW-008
      - id: checksum_2
        -orig-id: aFrameCksum[1]
        -requirement:
          - SQW-006
          - SQW-008
        type: u4
        doc: Second half of the running checksum after this frame.
        doc-ref: spec/sqlite-wal.md SQW-008
    instances:
      is_commit:
        -requirement: SQW-011
        value: db_pages != 0
        doc: True if the frame ends a transaction.

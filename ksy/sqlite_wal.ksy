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
# `.as<s8>` below widens both sides alike: Go does not mix integer types.
doc: |
  The write-ahead log of SQLite, the file `NAME-wal` beside the database
  `NAME`: a header of 32 bytes and slots of one size, each with a header of 24
  bytes and the image of a database page. A frame with a database size ends a
  transaction. SQLite begins again at the first slot after a checkpoint, so the
  last slots may hold frames of an older generation, which have other salts.

  This grammar describes structure and judges nothing. It accepts every input:
  a file that is shorter than the header, or whose header has no valid page
  size, is one field, `rest`. Checksums and salts are exposed and not compared.
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
    doc: The first 32 bytes; absent in a shorter file.
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
      All whole slots of the file, numbered from 1 in the chapter and from 0
      here. A slot may hold a frame of an older generation, or zeros.
    doc-ref: spec/sqlite-wal.md SQW-004
  - id: rest
    -requirement:
      - SQW-021
      - SQW-033
    size-eos: true
    doc: |
      The bytes after the last whole slot: none, or a slot that the end of the
      file cuts. The whole file if it has no header, and everything after a
      header without a valid page size.
    doc-ref: spec/sqlite-wal.md SQW-021, SQW-033
instances:
  has_header:
    value: _io.size >= 32
    doc: False if the file is too short for a header.
  has_frames:
    value: 'has_header ? header.has_page_size : false'
    doc: True if there is a header, and its page size is valid.
  num_frames:
    value: '(_io.size.as<s8> - 32.as<s8>) / (24.as<s8> + header.page_size.as<s8>)'
    if: has_frames
    doc: Number of whole slots in the file.
types:
  file_header:
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
          0x377f0682 or 0x377f0683. The lowest bit is the byte order of the
          words that checksums are computed over: 0 little-endian, 1
          big-endian. All numbers in the file are big-endian either way.
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
          How often the log was begun again after a checkpoint. SQLite counts
          from 0 in each new file.
        doc-ref: spec/sqlite-wal.md SQW-002
      - id: salt_1
        -orig-id: aSalt[0]
        -requirement:
          - SQW-002
          - SQW-005
        type: u4
        doc: First half of the salts; one higher in each generation.
        doc-ref: spec/sqlite-wal.md SQW-005
      - id: salt_2
        -orig-id: aSalt[1]
        -requirement:
          - SQW-002
          - SQW-005
        type: u4
        doc: Second half of the salts; random in each generation.
        doc-ref: spec/sqlite-wal.md SQW-005
      - id: checksum_1
        -orig-id: aFrameCksum[0]
        -requirement: SQW-007
        type: u4
        doc: First half of the checksum over the 24 bytes before.
        doc-ref: spec/sqlite-wal.md SQW-007
      - id: checksum_2
        -orig-id: aFrameCksum[1]
        -requirement: SQW-007
        type: u4
        doc: Second half of the checksum over the first 24 bytes.
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
    doc: A slot, which holds a frame unless it was never written.
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
          Size of the database in pages after the transaction, in its last
          frame; 0 in the other frames.
        doc-ref: spec/sqlite-wal.md SQW-011
      - id: salt_1
        -orig-id: aSalt[0]
        -requirement: SQW-005
        type: u4
        doc: First half of the salts of the generation.
        doc-ref: spec/sqlite-wal.md SQW-005
      - id: salt_2
        -orig-id: aSalt[1]
        -requirement: SQW-005
        type: u4
        doc: Second half of the salts of the generation.
        doc-ref: spec/sqlite-wal.md SQW-005
      - id: checksum_1
        -orig-id: aFrameCksum[0]
        -requirement:
          - SQW-006
          - SQW-008
        type: u4
        doc: |
          First half of the running checksum after this frame. It covers the
          page number, the database size and the image, and goes on from the
          value of the frame before.
        doc-ref: spec/sqlite-wal.md SQW-008
      - id: checksum_2
        -orig-id: aFrameCksum[1]
        -requirement:
          - SQW-006
          - SQW-008
        type: u4
        doc: Second half of the running checksum.
        doc-ref: spec/sqlite-wal.md SQW-008
    instances:
      is_commit:
        -requirement: SQW-011
        value: db_pages != 0
        doc: True if the frame ends a transaction.

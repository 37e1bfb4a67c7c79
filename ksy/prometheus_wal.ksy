# SPDX-License-Identifier: CC0-1.0
meta:
  id: prometheus_wal
  title: Segment of Prometheus' write-ahead log
  application: Prometheus
  tags:
    - database
    - log
  license: CC0-1.0
  ks-version: 0.11
  endian: be
doc: |
  A segment of the write-ahead log of Prometheus (`00000000`): pages of 32 KiB
  without a file header. Each page holds frames and then padding of zeros. A
  frame has a header of seven bytes and at most 32761 bytes of data. A record
  that does not fit into the rest of its page is stored as a FIRST, any number
  of MIDDLE and a LAST frame.

  This grammar describes the structure and does not check any values. It
  accepts every input. A frame that extends beyond the end of its page is
  clamped (`is_truncated`). Fragments are not joined, and compressed data stays
  compressed.
doc-ref:
  - spec/prometheus-wal.md
  - https://github.com/prometheus/prometheus/tree/main/tsdb/wlog
seq:
  - id: pages
    -orig-id: pageSize
    -requirement: PRW-010
    -stride: 32768
    size: '_io.size - _io.pos < 32768 ? (_io.size - _io.pos).as<s8> : 32768.as<s8>'
    type: page
    repeat: eos
    doc: Pages of 32768 bytes. Only the last page may be shorter. An empty file has no pages.
    doc-ref: spec/prometheus-wal.md PRW-010
types:
  page:
    doc: 'A page: frames up to a zero byte, or until fewer than seven bytes are left.'
    doc-ref: spec/prometheus-wal.md PRW-010 to PRW-014
    seq:
      - id: frames
        -requirement:
          - PRW-011
          - PRW-020
        type: frame(_io.pos)
        repeat: until
        repeat-until: not _.is_followed
        if: has_frames
        doc: Frames in file order. After a damaged length, frames may be garbage.
        doc-ref: spec/prometheus-wal.md PRW-011
      - id: padding
        -requirement:
          - PRW-014
          - PRW-021
          - PRW-022
        size-eos: true
        doc: |
          Zeros up to the end of the page, in an undamaged segment. In a torn
          segment, these bytes may be the start of a header.
        doc-ref: spec/prometheus-wal.md PRW-014
    instances:
      first_type:
        pos: 0
        type: u1
        if: _io.size >= 1
        doc: The first byte of the page.
      has_frames:
        value: '_io.size < 7 ? false : first_type != 0'
        doc: True if the page begins with a frame. If false, `frames` is absent.
  frame:
    -labels:
      - header.kind
      - header.is_snappy
      - header.is_zstd
      - is_truncated
    -checksum:
      algorithm: crc-32c
      field: header.checksum
      covers: data
      unless: is_truncated
    doc: A whole record or one fragment of a record.
    doc-ref: spec/prometheus-wal.md PRW-011
    params:
      - id: ofs_frame
        type: s8
        doc: Offset of the header in its page.
    seq:
      - id: header
        -requirement: PRW-011
        type: frame_header
        doc: The seven bytes before the data.
        doc-ref: spec/prometheus-wal.md PRW-011
      - id: data
        -requirement:
          - PRW-011
          - PRW-015
        size: 'is_truncated ? len_available.as<s8> : header.len_data.as<s8>'
        doc: |
          The whole record or a fragment of it, compressed if a flag says so.
          The data is shorter than `len_data` if the page or the file ends too
          early.
        doc-ref: spec/prometheus-wal.md PRW-015
    instances:
      len_available:
        value: _io.size - ofs_frame - sizeof<frame_header>
        doc: Number of bytes from the end of the header to the end of the page.
      is_truncated:
        -requirement:
          - PRW-023
          - PRW-040
        value: header.len_data.as<s8> > len_available.as<s8>
        doc: True if `data` was clamped.
      ofs_end:
        value: ofs_frame.as<s8> + 7 + data.length.as<s8>
        doc: Offset of the end of the frame in its page.
      next_type:
        pos: ofs_end
        type: u1
        if: ofs_end.as<s8> < _io.size.as<s8>
        doc: The byte after the frame.
      is_followed:
        value: '_io.size.as<s8> - ofs_end.as<s8> < 7 ? false : next_type != 0'
        doc: True if another frame follows in the page.
  frame_header:
    doc: Header of a frame, 7 bytes.
    doc-ref: spec/prometheus-wal.md PRW-011
    seq:
      - id: type
        -requirement:
          - PRW-011
          - PRW-012
        type: u1
        doc: The type of the frame in bits 0 to 2, and flags.
      - id: len_data
        -requirement:
          - PRW-011
          - PRW-023
        type: u2
        doc: Length of the data in bytes, at most 32761. No checksum covers it.
      - id: checksum
        -requirement: PRW-013
        type: u4
        doc: CRC-32C of the data. It covers neither the type nor the length.
    instances:
      kind:
        -requirement: PRW-012
        value: type & 7
        enum: frame_type
        doc: The type without the flags.
      is_snappy:
        -requirement: PRW-016
        value: (type & 8) != 0
        doc: True if the record is a block of snappy.
      is_zstd:
        -requirement: PRW-016
        value: (type & 16) != 0
        doc: True if the record is a frame of zstd.
enums:
  frame_type:
    0:
      id: padding
      -orig-id: recPageTerm
      doc: The rest of the page is padding.
    1:
      id: full
      -orig-id: recFull
      doc: A whole record.
    2:
      id: first
      -orig-id: recFirst
      doc: The first fragment of a record.
    3:
      id: middle
      -orig-id: recMiddle
      doc: A fragment between the first and the last.
    4:
      id: last
      -orig-id: recLast
      doc: The last fragment of a record.

# SPDX-License-Identifier: CC0-1.0
meta:
  id: message_pack
  title: MessagePack value
  license: CC0-1.0
  ks-version: 0.11
  endian: be
doc: |
  One MessagePack value, including all nested values.

  This grammar describes the structure and does not check any values. It
  accepts every input. Lengths and counts that extend beyond the end are
  clamped, a number that is cut off by the end is not parsed, and containers
  more than 64 levels deep are not parsed.
doc-ref: https://github.com/msgpack/msgpack/blob/master/spec.md
seq:
  - id: value
    type: value(0, _io.pos)
    if: not _io.eof
    doc: The outermost value.
types:
  value:
    doc: A value of any type.
    params:
      - id: depth
        type: s4
        doc: Number of containers that enclose the value.
      - id: ofs_value
        type: s8
        doc: Offset of the value in the input.
    seq:
      - id: first
        type: u1
        doc: Type of the value; for short values, it includes the content or the length.
      - id: len_1
        type: u1
        if: len_width == 1 and has_len
        doc: Length in bytes, or number of elements.
      - id: len_2
        type: u2
        if: len_width == 2 and has_len
        doc: Length in bytes, or number of elements.
      - id: len_4
        type: u4
        if: len_width == 4 and has_len
        doc: Length in bytes, or number of elements.
      - id: ext_type
        type: s1
        if: 'is_ext ? not _io.eof : false'
        doc: Type of the extension, which the application defines.
      - id: number
        size: number_width
        if: 'number_width > 0 ? _io.size.as<s8> - _io.pos.as<s8> >= number_width.as<s8> : false'
        doc: An integer or a float, big-endian.
      - id: data
        size: '(len_data.as<s8> < (_io.size.as<s8> - _io.pos.as<s8>).as<s8> ? len_data.as<s8> : (_io.size.as<s8> - _io.pos.as<s8>).as<s8>).as<s8>'
        if: is_str or is_bin or is_ext
        doc: Content of a string, a byte array or an extension.
      - id: elements
        type: value(depth + 1, _io.pos)
        repeat: until
        repeat-until: elements.size.as<s8> >= num_elements.as<s8> or _io.eof
        if: 'num_elements > 0 and depth < 64 ? not _io.eof : false'
        doc: The elements of an array, or the keys and values of a map in turn.
    instances:
      is_str:
        value: (first >= 0xa0 and first <= 0xbf) or (first >= 0xd9 and first <= 0xdb)
        doc: True if the value is a string.
      is_bin:
        value: first >= 0xc4 and first <= 0xc6
        doc: True if the value is a byte array.
      is_ext:
        value: (first >= 0xc7 and first <= 0xc9) or (first >= 0xd4 and first <= 0xd8)
        doc: True if the value is an extension, whose type the application defines.
      is_map:
        -requirement: ZMR-077
        value: (first >= 0x80 and first <= 0x8f) or first == 0xde or first == 0xdf
        doc: True if the value is a map.
      is_array:
        value: (first >= 0x90 and first <= 0x9f) or first == 0xdc or first == 0xdd
        doc: True if the value is an array.
      len_width:
        value: '(first == 0xc4 or first == 0xc7 or first == 0xd9) ? 1 : (first == 0xc5 or first == 0xc8 or first == 0xda or first == 0xdc or first == 0xde) ? 2 : (first == 0xc6 or first == 0xc9 or first == 0xdb or first == 0xdd or first == 0xdf) ? 4 : 0'
        doc: Size of the length field in bytes; 0 if the value has no length field.
      number_width:
        value: '(first == 0xcc or first == 0xd0) ? 1 : (first == 0xcd or first == 0xd1) ? 2 : (first == 0xca or first == 0xce or first == 0xd2) ? 4 : (first == 0xcb or first == 0xcf or first == 0xd3) ? 8 : 0'
        doc: Size of the number after the type byte, in bytes; 0 if the value has no such number.
      has_len:
        value: _io.size.as<s8> - ofs_value.as<s8> > len_width.as<s8>
        doc: False if the input ends inside the length field. The length is then taken as zero.
      len_written:
        # Only the field of matching width (len_1, len_2 or len_4) is read.
        value: '(len_width == 0 or not has_len) ? 0.as<s8> : (len_width == 1 ? len_1.as<s8> : (len_width == 2 ? len_2.as<s8> : len_4.as<s8>).as<s8>).as<s8>'
        doc: Value of the length field; 0 if the value has no whole length field.
      len_data:
        # Only the field of matching width (len_1, len_2 or len_4) is read.
        value: '(first >= 0xa0 and first <= 0xbf) ? (first & 0x1f).as<s8> : ((first >= 0xd4 and first <= 0xd8) ? (1 << (first - 0xd4)).as<s8> : len_written.as<s8>).as<s8>'
        doc: Length of the content in bytes.
      num_written:
        # Only the field of matching width (len_1, len_2 or len_4) is read.
        value: '(first >= 0x80 and first <= 0x9f) ? (first & 0x0f).as<s8> : len_written.as<s8>'
        doc: Number of elements of an array, or of pairs of a map.
      num_elements:
        # Only the field of matching width (len_1, len_2 or len_4) is read.
        value: 'is_map ? (num_written.as<s8> + num_written.as<s8>).as<s8> : (is_array ? num_written.as<s8> : 0.as<s8>).as<s8>'
        doc: Number of values in the container. Each pair of a map counts as two values.

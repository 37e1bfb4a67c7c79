# A small runtime for parsers that Kaitai Struct generates: what logs need of it, over bytes in memory.
module Kaitai
  module Struct
    VERSION = '0.11'

    # What every parser and every type of it is.
    class Struct
      attr_reader :_io, :_parent, :_root

      def initialize(_io, _parent = nil, _root = self)
        @_io = _io
        @_parent = _parent
        @_root = _root
      end

      def self.from_file(path)
        new(Stream.new(File.binread(path)))
      end
    end

    # A field has another value than its grammar says.
    class ValidationNotEqualError < StandardError
      def initialize(expected, actual, io, path)
        super("#{path}: not equal, at #{io.pos}: #{actual.inspect}, and not #{expected.inspect}")
      end
    end

    # Bytes and a position. EOFError where fewer bytes are left than are asked for.
    class Stream
      attr_reader :pos

      INTEGERS = {
        s1: 'c', s2le: 's<', s2be: 's>', s4le: 'l<', s4be: 'l>', s8le: 'q<', s8be: 'q>',
        u1: 'C', u2le: 'S<', u2be: 'S>', u4le: 'L<', u4be: 'L>', u8le: 'Q<', u8be: 'Q>'
      }.freeze
      FLOATS = { f4le: 'e', f4be: 'g', f8le: 'E', f8be: 'G' }.freeze

      INTEGERS.merge(FLOATS).each do |name, letter|
        width = name[1].to_i
        define_method("read_#{name}") { read_bytes(width).unpack1(letter) }
      end

      # An enum's symbol, or the number itself where it has no name.
      def self.resolve_enum(names, value)
        names.fetch(value, value)
      end

      def initialize(bytes)
        @bytes = bytes.b
        @pos = 0
        align_to_byte
      end

      def size
        @bytes.bytesize
      end

      def eof?
        @pos >= size && @bits_left.zero?
      end

      def seek(pos)
        raise ArgumentError, "no position: #{pos}" if pos.negative?

        align_to_byte
        @pos = pos
      end

      def align_to_byte
        @bits = @bits_left = 0
      end

      def read_bytes(count)
        raise ArgumentError, "a length below zero: #{count}" if count.negative?

        align_to_byte
        taken(count)
      end

      def read_bytes_full
        read_bytes([size - @pos, 0].max)
      end

      def substream(count)
        Stream.new(read_bytes(count))
      end

      # The low bits first, as `bit-endian: le` has it.
      def read_bits_int_le(count)
        while @bits_left < count
          @bits |= taken(1).ord << @bits_left
          @bits_left += 8
        end
        value = @bits & ((1 << count) - 1)
        @bits >>= count
        @bits_left -= count
        value
      end

      private

      def taken(count)
        left = [size - @pos, 0].max
        raise EOFError, "#{count} bytes at #{@pos}, where #{left} are" if count > left

        @pos += count
        @bytes.byteslice(@pos - count, count)
      end
    end
  end
end

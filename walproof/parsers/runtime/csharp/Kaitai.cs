// A small runtime for parsers that Kaitai Struct generates: what logs need of it, over bytes in memory.
using System;
using System.IO;

namespace Kaitai
{
    // What every parser and every type of it is.
    public abstract class KaitaiStruct
    {
        protected KaitaiStream m_io;

        protected KaitaiStruct(KaitaiStream io)
        {
            m_io = io;
        }

        public KaitaiStream M_Io
        {
            get { return m_io; }
        }
    }

    // A field has another value than its grammar says.
    public class ValidationNotEqualError : Exception
    {
        public ValidationNotEqualError(object expected, object actual, KaitaiStream io, string path)
            : base(path + ": not equal, at " + io.Pos)
        {
        }
    }

    // Bytes and a position. EndOfStreamException where fewer bytes are left than are asked for.
    public class KaitaiStream
    {
        readonly byte[] bytes;
        long pos;
        ulong bits;
        int bitsLeft;

        public KaitaiStream(byte[] bytes)
        {
            this.bytes = bytes;
        }

        public KaitaiStream(string path) : this(File.ReadAllBytes(path))
        {
        }

        public long Pos
        {
            get { return pos; }
        }

        public long Size
        {
            get { return bytes.LongLength; }
        }

        public bool IsEof
        {
            get { return pos >= Size && bitsLeft == 0; }
        }

        public void Seek(long position)
        {
            if (position < 0)
                throw new ArgumentOutOfRangeException("position");
            AlignToByte();
            pos = position;
        }

        public void AlignToByte()
        {
            bits = 0;
            bitsLeft = 0;
        }

        public byte[] ReadBytes(long count)
        {
            if (count < 0)
                throw new ArgumentOutOfRangeException("count");
            AlignToByte();
            return Taken(count);
        }

        public byte[] ReadBytes(ulong count)
        {
            return ReadBytes(checked((long)count));
        }

        public byte[] ReadBytesFull()
        {
            return ReadBytes(Math.Max(0, Size - pos));
        }

        // The low bits first, as `bit-endian: le` has it; up to 56 of them.
        public ulong ReadBitsIntLe(int count)
        {
            if (count > 56)
                throw new ArgumentOutOfRangeException("count");
            for (; bitsLeft < count; bitsLeft += 8)
                bits |= (ulong)Taken(1)[0] << bitsLeft;
            ulong value = bits & ((1UL << count) - 1);
            bits >>= count;
            bitsLeft -= count;
            return value;
        }

        public sbyte ReadS1() { return (sbyte)Integer(1, true); }
        public short ReadS2le() { return (short)Integer(2, true); }
        public short ReadS2be() { return (short)Integer(2, false); }
        public int ReadS4le() { return (int)Integer(4, true); }
        public int ReadS4be() { return (int)Integer(4, false); }
        public long ReadS8le() { return (long)Integer(8, true); }
        public long ReadS8be() { return (long)Integer(8, false); }
        public byte ReadU1() { return (byte)Integer(1, true); }
        public ushort ReadU2le() { return (ushort)Integer(2, true); }
        public ushort ReadU2be() { return (ushort)Integer(2, false); }
        public uint ReadU4le() { return (uint)Integer(4, true); }
        public uint ReadU4be() { return (uint)Integer(4, false); }
        public ulong ReadU8le() { return Integer(8, true); }
        public ulong ReadU8be() { return Integer(8, false); }
        public float ReadF4le() { return BitConverter.ToSingle(BitConverter.GetBytes(ReadU4le()), 0); }
        public float ReadF4be() { return BitConverter.ToSingle(BitConverter.GetBytes(ReadU4be()), 0); }
        public double ReadF8le() { return BitConverter.Int64BitsToDouble(ReadS8le()); }
        public double ReadF8be() { return BitConverter.Int64BitsToDouble(ReadS8be()); }

        // The remainder that has the sign of the divisor.
        public static long Mod(long a, long b)
        {
            if (b <= 0)
                throw new ArgumentException("a divisor of " + b);
            return (a % b + b) % b;
        }

        public static int Mod(int a, int b)
        {
            return (int)Mod((long)a, (long)b);
        }

        // Below, at or above zero, as the first is.
        public static int ByteArrayCompare(byte[] a, byte[] b)
        {
            for (int i = 0; i < a.Length && i < b.Length; i++)
            {
                if (a[i] != b[i])
                    return a[i].CompareTo(b[i]);
            }
            return a.Length.CompareTo(b.Length);
        }

        ulong Integer(int width, bool little)
        {
            byte[] read = ReadBytes((long)width);
            ulong value = 0;
            for (int i = 0; i < width; i++)
                value = value << 8 | read[little ? width - 1 - i : i];
            return value;
        }

        byte[] Taken(long count)
        {
            if (count > Math.Max(0, Size - pos))
                throw new EndOfStreamException(count + " bytes at " + pos + " of " + Size);
            var taken = new byte[count];
            Array.Copy(bytes, pos, taken, 0, count);
            pos += count;
            return taken;
        }
    }
}

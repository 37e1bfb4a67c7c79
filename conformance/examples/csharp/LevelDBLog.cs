// A reader and a writer of LevelDB logs, as spec/leveldb-log.md says.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

using Json = System.Collections.Generic.Dictionary<string, object>;

static class LevelDBLog
{
    public const int Block = 32768, Header = 7, Full = 1, First = 2, Middle = 3, Last = 4;

    // Whether the first physical record is one of RocksDB's or Pebble's own.
    public static bool IsForeign(byte[] log)
    {
        if (log.Length < Header)
            return false;
        int length = log[4] | log[5] << 8, type = log[6];
        var sizes = new List<int>(); // that the header has in the dialects of this type
        if (new[] { 5, 6, 7, 8, 11, 131 }.Contains(type))
            sizes.Add(11);
        if (type >= 9 && type <= 12)
            sizes.Add(19);
        if ((type == 9 && length == 4) || (type == 130 && length == 24))
            sizes.Add(Header);
        if (type == 10 && length > 0 && length % 6 == 0)
            sizes.Add(Header);
        int room = Math.Min(Block, log.Length) - length;
        return sizes.Any(size => size <= room && MaskedCrc(log, 6, size + length) == Checksum(log, 0));
    }

    // A record as a writer appends it to a log of position bytes.
    public static byte[] Framed(byte[] payload, int position)
    {
        var framed = new MemoryStream();
        bool begin = true, last = false;
        for (int from = 0; !last; begin = false)
        {
            int left = Block - (position + (int)framed.Length) % Block;
            if (left < Header)
            {
                framed.Write(new byte[left], 0, left);
                left = Block;
            }
            int length = Math.Min(payload.Length - from, left - Header);
            last = from + length == payload.Length;
            var physical = new byte[Header + length];
            physical[4] = (byte)length;
            physical[5] = (byte)(length >> 8);
            physical[6] = (byte)(begin ? (last ? Full : First) : (last ? Last : Middle));
            Array.Copy(payload, from, physical, Header, length);
            uint crc = MaskedCrc(physical, 6, physical.Length);
            for (int i = 0; i < 4; i++)
                physical[i] = (byte)(crc >> (8 * i));
            framed.Write(physical, 0, physical.Length);
            from += length;
        }
        return framed.ToArray();
    }

    public static uint Checksum(byte[] log, int at)
    {
        return log[at] | (uint)log[at + 1] << 8 | (uint)log[at + 2] << 16 | (uint)log[at + 3] << 24;
    }

    static readonly uint[] Table = Enumerable.Range(0, 256).Select(Entry).ToArray();

    static uint Entry(int number)
    {
        uint entry = (uint)number;
        for (int bit = 0; bit < 8; bit++)
            entry = entry >> 1 ^ ((entry & 1) == 1 ? 0x82f63b78u : 0);
        return entry;
    }

    // CRC-32C of [from, to), masked (LDB-007).
    public static uint MaskedCrc(byte[] bytes, int from, int to)
    {
        uint crc = 0xffffffffu;
        for (int i = from; i < to; i++)
            crc = crc >> 8 ^ Table[(crc ^ bytes[i]) & 0xff];
        crc = ~crc;
        return unchecked((crc >> 15 | crc << 17) + 0xa282ead8u);
    }
}

class LogReader
{
    // A record whose FIRST was read and whose LAST was not.
    class Fragments
    {
        public int At, End;
        public List<byte> Data = new List<byte>();
    }

    class Range
    {
        public int From, To;
        public string Reason;

        public Json ToJson()
        {
            return new Json { ["from"] = From, ["to"] = To, ["reason"] = Reason };
        }
    }

    readonly byte[] log;
    readonly List<Json> records = new List<Json>();
    readonly List<Range> lost = new List<Range>();
    Fragments open;
    int? zerosFrom;
    Range torn;
    Range damage; // the first, as far as the end of the log
    int before; // the number of records before it
    bool inStep = true;

    public LogReader(byte[] log)
    {
        this.log = log;
    }

    // All that is whole or, with "strict", what is before the first damage.
    public Json Answer(string profile)
    {
        if (LevelDBLog.IsForeign(log))
            return Parts("refused", "foreign-dialect", records, lost, null);
        for (int start = 0; start < log.Length; start += LevelDBLog.Block)
            Block(start);
        if (open != null)
            Tear(open.At, open.End, "torn-record");
        int end = torn != null ? torn.From : zerosFrom ?? log.Length;
        if (torn != null)
            lost.Add(torn);
        if (damage == null)
            return Parts(torn == null ? "intact" : "torn", torn?.Reason, records, lost, end);
        if (profile == "strict")
            return Parts("damaged", damage.Reason, records.Take(before), new[] { damage }, null);
        return Parts("damaged", damage.Reason, records, lost.OrderBy(one => one.From), inStep ? (int?)end : null);
    }

    static Json Parts(string verdict, string reason, IEnumerable<Json> records, IEnumerable<Range> lost, int? end)
    {
        return new Json
        {
            ["verdict"] = verdict,
            ["reason"] = reason,
            ["records"] = records,
            ["lost"] = lost.Select(one => one.ToJson()),
            ["end"] = end,
        };
    }

    // The physical records of one block.
    void Block(int start)
    {
        int limit = start + LevelDBLog.Block, end = Math.Min(limit, log.Length);
        if (zerosFrom != null && !IsZero(start, end))
        {
            Lose(zerosFrom.Value, start, "zero-gap");
            LoseOpen();
            zerosFrom = null;
        }
        int at = start;
        while (at < end && limit - at >= LevelDBLog.Header) // what is left after the loop is the trailer
        {
            bool isShort = end - at < LevelDBLog.Header;
            int length = isShort ? 0 : log[at + 4] | log[at + 5] << 8, type = isShort ? 0 : log[at + 6];
            int after = at + LevelDBLog.Header + length;
            if (length == 0 && type == 0 && IsZero(at, end))
            {
                zerosFrom = zerosFrom ?? at;
                return;
            }
            string tear = isShort ? "torn-header" : after > end && after <= limit ? "torn-payload" : null;
            if (tear != null)
            {
                Tear(at, end, tear);
                return;
            }
            string fault = after > limit ? "bad-length"
                : length == 0 && type == 0 ? "zero-header"
                : LevelDBLog.MaskedCrc(log, at + 6, after) != LevelDBLog.Checksum(log, at) ? "checksum-mismatch"
                : null;
            if (fault != null)
            {
                // A length that cannot be trusted: only the next block gets a reader back in step.
                Lose(at, end, fault);
                LoseOpen();
                inStep = end % LevelDBLog.Block == 0;
                return;
            }
            Fragment(type, at, after);
            at = after;
        }
    }

    // A physical record [at, end) whose checksum holds.
    void Fragment(int type, int at, int end)
    {
        if (type == LevelDBLog.Full || type == LevelDBLog.First)
        {
            if (open != null && open.Data.Count > 0)
                LoseOpen();
            open = new Fragments { At = at };
        }
        else if (type != LevelDBLog.Middle && type != LevelDBLog.Last)
        {
            Lose(at, end, "unknown-type");
            LoseOpen();
            return;
        }
        else if (open == null)
        {
            Lose(at, end, "orphan-fragment");
            return;
        }
        open.End = end;
        open.Data.AddRange(new ArraySegment<byte>(log, at + LevelDBLog.Header, end - at - LevelDBLog.Header));
        if (type == LevelDBLog.Full || type == LevelDBLog.Last)
        {
            string payload = BitConverter.ToString(open.Data.ToArray()).Replace("-", "").ToLowerInvariant();
            records.Add(new Json { ["at"] = open.At, ["size"] = end - open.At, ["payload"] = payload });
            open = null;
        }
    }

    void Lose(int from, int to, string reason)
    {
        if (damage == null)
        {
            int start = open == null ? from : Math.Min(from, open.At);
            damage = new Range { From = start, To = log.Length, Reason = reason };
            before = records.Count;
        }
        lost.Add(new Range { From = from, To = to, Reason = reason });
    }

    void LoseOpen()
    {
        if (open != null)
            Lose(open.At, open.End, "incomplete-record");
        open = null;
    }

    // The log ends inside a write; that of an open record began at its FIRST.
    void Tear(int at, int end, string reason)
    {
        torn = new Range { From = open == null ? at : open.At, To = end, Reason = reason };
        open = null;
    }

    bool IsZero(int from, int to)
    {
        for (int at = from; at < to; at++)
            if (log[at] != 0)
                return false;
        return true;
    }
}

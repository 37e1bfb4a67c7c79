// A complete Walproof adapter: skeletons/csharp/Adapter.cs with a reader and a writer of LevelDB logs in it.
//
//   walproof check --cmd 'dotnet run --project conformance/examples/csharp --' --format leveldb-log
//
// By hand: dotnet run -- read leveldb-log FILE [strict]
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Text.Json;

using Json = System.Collections.Generic.Dictionary<string, object>;

static class Adapter
{
    static readonly Json Hello = new Json
    {
        ["name"] = "example-csharp",
        ["version"] = "1.0.0",
        ["language"] = "C#",
        ["formats"] = new[] { "leveldb-log" },
        ["profiles"] = new[] { "recover", "strict", "write", "append" },
        ["reports"] = new[] { "records", "at", "size", "verdict", "reason", "end", "lost" },
    };

    static Json Read(string format, string path, string profile, JsonElement context)
    {
        return new Json { ["answer"] = new LogReader(File.ReadAllBytes(path)).Answer(profile) };
    }

    // Makes a log, or goes on with the one that is there where its end is.
    static Json Write(string cmd, string format, string path, JsonElement records, JsonElement context)
    {
        int position = 0;
        if (cmd == "append")
        {
            Json before = new LogReader(File.ReadAllBytes(path)).Answer("recover");
            if (before["end"] == null)
                return new Json { ["refused"] = "start a new file: " + before["reason"] };
            if (records.GetArrayLength() == 0)
                return new Json { ["done"] = true }; // which changes nothing
            position = (int)before["end"];
        }
        using (var log = new FileStream(path, cmd == "append" ? FileMode.Open : FileMode.CreateNew))
        {
            log.SetLength(position);
            log.Position = position;
            foreach (JsonElement record in records.EnumerateArray())
            {
                byte[] framed = LevelDBLog.Framed(Bytes(record.GetProperty("payload").GetString()), position);
                log.Write(framed, 0, framed.Length);
                position += framed.Length;
            }
        }
        return new Json { ["done"] = true };
    }

    static byte[] Bytes(string hex)
    {
        return Enumerable.Range(0, hex.Length / 2).Select(i => Convert.ToByte(hex.Substring(2 * i, 2), 16)).ToArray();
    }

    // ---- The protocol: nothing to fill in from here on. ----

    // Carries out a request that names a log.
    static Json Answer(JsonElement request)
    {
        Func<string, string> text = key => request.GetProperty(key).GetString();
        string cmd = text("cmd"), format = text("format"), path = text("path");
        JsonElement context = request.GetProperty("context");
        if (cmd != "write" && !File.Exists(path) && !Directory.Exists(path))
            return new Json { ["skipped"] = "nothing is at this path" };
        if (cmd == "read")
            return Read(format, path, text("profile"), context);
        return Write(cmd, format, path, request.GetProperty("records"), context);
    }

    static void Main(string[] args)
    {
        var input = new StreamReader(Console.OpenStandardInput(), new UTF8Encoding(false));
        var output = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false));
        output.AutoFlush = true; // the harness waits for each reply
        output.NewLine = "\n";
        if (args.Length > 2 && args[0] == "read")
        {
            string request = JsonSerializer.Serialize(new Json
            {
                ["cmd"] = "read",
                ["format"] = args[1],
                ["path"] = args[2],
                ["profile"] = args.Length > 3 ? args[3] : "recover",
                ["context"] = new Json(),
            });
            Json result = Answer(JsonDocument.Parse(request).RootElement);
            output.WriteLine(JsonSerializer.Serialize(result.ContainsKey("answer") ? result["answer"] : result));
            return;
        }
        for (string line = input.ReadLine(); line != null; line = input.ReadLine())
        {
            JsonElement request = JsonDocument.Parse(line).RootElement;
            string cmd = request.GetProperty("cmd").GetString();
            if (cmd == "bye")
                return;
            Json reply = Hello;
            if (cmd != "hello")
            {
                reply = Answer(request);
                reply["seq"] = request.GetProperty("seq");
            }
            output.WriteLine(JsonSerializer.Serialize(reply));
        }
    }
}

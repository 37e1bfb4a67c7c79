// A Walproof adapter to start from: one file and what comes with .NET. Fill in Read, name it in Hello.
//
//   walproof check --smoke --seconds 60 --cmd 'dotnet run --project conformance/skeletons/csharp --'   # speaks the protocol?
//   walproof check --cmd 'dotnet run --project conformance/skeletons/csharp --'                # all vectors
//
// By hand: dotnet run -- read leveldb-log FILE [strict]
using System;
using System.Collections.Generic;
using System.IO;
using System.Text;
using System.Text.Json;

using Json = System.Collections.Generic.Dictionary<string, object>;

static class Adapter
{
    static readonly Json Hello = new Json
    {
        ["name"] = "my-reader",
        ["version"] = "0.0.0",
        ["language"] = "C#",
        ["formats"] = new[] { "leveldb-log" },
        ["profiles"] = new[] { "recover" },
        ["reports"] = new[] { "records", "signals" },
    };

    // ====> YOUR READER GOES HERE. Return what it released and whatever it said of damage, for example
    // { "answer": { "records": [{ "payload": "616c706861" }], "signals": ["bad checksum"] } }, built of Json and lists.
    // An exception that your reader throws for damage is a signal: catch it here and keep the records before it. What
    // ends the process is a result too: leave it alone. context is what the vector says about the log besides the file.
    static Json Read(string format, string path, string profile, JsonElement context)
    {
        return new Json { ["skipped"] = "read() is not written yet" };
    }

    // ====> YOUR WRITER GOES HERE. For cmd "write" make a new log at path, for "append" go on with the one that is
    // there. Return { "done": true } when all records are in it, or { "refused": "why" } and leave what is there as it
    // was. A record has its payload in hex and what else the format needs. Add the profiles "write" and "append" to
    // Hello.
    static Json Write(string cmd, string format, string path, JsonElement records, JsonElement context)
    {
        return new Json { ["skipped"] = "write() is not written yet" };
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

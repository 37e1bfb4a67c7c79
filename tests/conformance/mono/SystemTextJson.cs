// As much of System.Text.Json as the C# skeleton and its example use: .NET brings it, Mono does not. With it their sources
// are compiled and run unchanged where there is no .NET SDK.
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;

namespace System.Text.Json
{
    public struct JsonElement
    {
        internal readonly object Value; // a dictionary, a list, a string, a number as it was written, a bool or null

        internal JsonElement(object value)
        {
            Value = value;
        }

        public JsonElement GetProperty(string name)
        {
            return ((Dictionary<string, JsonElement>)Value)[name];
        }

        public string GetString()
        {
            return (string)Value;
        }

        public int GetArrayLength()
        {
            return ((List<JsonElement>)Value).Count;
        }

        public IEnumerable<JsonElement> EnumerateArray()
        {
            return (List<JsonElement>)Value;
        }
    }

    public sealed class JsonException : Exception
    {
        public JsonException(string message) : base(message)
        {
        }
    }

    public sealed class JsonDocument
    {
        public JsonElement RootElement { get; private set; }

        public static JsonDocument Parse(string text)
        {
            int at = 0;
            JsonElement root = Element(text, ref at);
            Space(text, ref at);
            if (at != text.Length)
                throw new JsonException("more than one value, at " + at);
            return new JsonDocument { RootElement = root };
        }

        static JsonElement Element(string text, ref int at)
        {
            Space(text, ref at);
            switch (Peek(text, at))
            {
                case '{':
                    var map = new Dictionary<string, JsonElement>();
                    for (at++; Next(text, ref at, '}', map.Count > 0);)
                    {
                        string key = (string)Element(text, ref at).Value;
                        Space(text, ref at);
                        Take(text, ref at, ":");
                        map[key] = Element(text, ref at);
                    }
                    return new JsonElement(map);
                case '[':
                    var list = new List<JsonElement>();
                    for (at++; Next(text, ref at, ']', list.Count > 0);)
                        list.Add(Element(text, ref at));
                    return new JsonElement(list);
                case '"':
                    return new JsonElement(Text(text, ref at));
                case 't':
                    Take(text, ref at, "true");
                    return new JsonElement(true);
                case 'f':
                    Take(text, ref at, "false");
                    return new JsonElement(false);
                case 'n':
                    Take(text, ref at, "null");
                    return new JsonElement(null);
                default:
                    int start = at;
                    while (at < text.Length && "+-.0123456789Ee".IndexOf(text[at]) >= 0)
                        at++;
                    return new JsonElement(decimal.Parse(text.Substring(start, at - start), NumberStyles.Float, CultureInfo.InvariantCulture));
            }
        }

        // Whether another element follows; takes the comma before it, or the end.
        static bool Next(string text, ref int at, char end, bool comma)
        {
            Space(text, ref at);
            if (Peek(text, at) == end)
            {
                at++;
                return false;
            }
            if (comma)
                Take(text, ref at, ",");
            return true;
        }

        static string Text(string text, ref int at)
        {
            var said = new StringBuilder();
            for (at++; Peek(text, at) != '"'; at++)
            {
                if (text[at] != '\\')
                {
                    said.Append(text[at]);
                    continue;
                }
                char sign = Peek(text, ++at);
                int known = "\"\\/bfnrt".IndexOf(sign);
                if (sign == 'u')
                {
                    said.Append((char)int.Parse(text.Substring(at + 1, 4), NumberStyles.HexNumber));
                    at += 4;
                }
                else if (known >= 0)
                    said.Append("\"\\/\b\f\n\r\t"[known]);
                else
                    throw new JsonException("an escape at " + at);
            }
            at++;
            return said.ToString();
        }

        static void Space(string text, ref int at)
        {
            while (at < text.Length && " \t\r\n".IndexOf(text[at]) >= 0)
                at++;
        }

        static char Peek(string text, int at)
        {
            if (at >= text.Length)
                throw new JsonException("it ends too soon");
            return text[at];
        }

        static void Take(string text, ref int at, string word)
        {
            if (string.CompareOrdinal(text, at, word, 0, word.Length) != 0)
                throw new JsonException("no " + word + " at " + at);
            at += word.Length;
        }
    }

    public static class JsonSerializer
    {
        public static string Serialize(object value)
        {
            if (value is JsonElement)
                return Serialize(((JsonElement)value).Value);
            if (value == null)
                return "null";
            if (value is bool)
                return (bool)value ? "true" : "false";
            if (value is string)
                return Quoted((string)value);
            if (value is IDictionary)
            {
                var members = new List<string>();
                foreach (DictionaryEntry one in (IDictionary)value)
                    members.Add(Quoted((string)one.Key) + ":" + Serialize(one.Value));
                return "{" + string.Join(",", members) + "}";
            }
            if (value is IEnumerable)
                return "[" + string.Join(",", ((IEnumerable)value).Cast<object>().Select(Serialize)) + "]";
            return ((IFormattable)value).ToString(null, CultureInfo.InvariantCulture);
        }

        static string Quoted(string text)
        {
            var said = new StringBuilder("\"");
            foreach (char one in text)
            {
                if (one == '"' || one == '\\')
                    said.Append('\\').Append(one);
                else if (one < ' ')
                    said.Append("\\u").Append(((int)one).ToString("x4"));
                else
                    said.Append(one);
            }
            return said.Append('"').ToString();
        }
    }
}

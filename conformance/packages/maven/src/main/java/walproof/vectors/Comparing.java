package walproof.vectors;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** What is right: the rules of RUNNERS.md. */
final class Comparing {
  private static final int INLINE = 4096; // bytes; of a longer payload there is the SHA-256
  private static final List<String> PARTS = List.of("end", "lost", "reason", "records", "signals", "verdict");

  private Comparing() {}

  /** An answer as vectors have it. */
  static JsonObject normalised(JsonObject answer) {
    JsonArray records = new JsonArray();
    for (JsonElement one : list(answer, "records")) {
      JsonObject record = one.getAsJsonObject();
      String payload = record.get("payload").getAsString();
      if (payload.length() > 2 * INLINE) {
        record = record.deepCopy();
        record.remove("payload");
        record.addProperty("payload_sha256", Vectors.hex(Vectors.sha256(bytes(payload))));
      }
      records.add(record);
    }
    JsonObject found = new JsonObject();
    answer.entrySet().forEach(part -> found.add(part.getKey(), part.getValue()));
    found.add("records", records);
    return found;
  }

  static byte[] bytes(String hex) {
    byte[] data = new byte[hex.length() / 2];
    for (int i = 0; i < data.length; i++) {
      data[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);
    }
    return data;
  }

  static JsonElement part(JsonObject from, String name) {
    JsonElement found = from.get(name);
    return found == null ? JsonNull.INSTANCE : found;
  }

  static JsonArray list(JsonObject from, String name) {
    JsonElement found = part(from, name);
    return found.isJsonArray() ? found.getAsJsonArray() : new JsonArray();
  }

  static String text(JsonObject from, String name) {
    JsonElement found = part(from, name);
    return found.isJsonNull() ? "" : found.getAsString();
  }

  /** What differs in the parts that are reported, one short sentence a part. */
  static List<String> differences(JsonObject expected, JsonObject actual, Collection<String> reports) {
    List<String> wrong = new ArrayList<>();
    if (reports.contains("records")) {
      String text = recordDifference(list(expected, "records"), list(actual, "records"), reports);
      if (!text.isEmpty()) {
        wrong.add(text);
      }
    }
    for (String name : List.of("verdict", "reason", "end")) {
      String want = canonical(part(expected, name));
      String got = canonical(part(actual, name));
      if (reports.contains(name) && !want.equals(got)) {
        wrong.add(name + ": expected " + want + ", found " + got);
      }
    }
    if (reports.contains("lost")) {
      List<String> want = ranges(list(expected, "lost"), reports.contains("reason"));
      List<String> got = ranges(list(actual, "lost"), reports.contains("reason"));
      if (!want.equals(got)) {
        wrong.add("lost: expected " + want + ", found " + got);
      }
    }
    if (reports.contains("signals")) {
      String verdict = text(expected, "verdict");
      boolean silent = list(actual, "signals").isEmpty();
      if (verdict.equals("intact") && !silent) {
        wrong.add("signals: expected none for an intact log, found " + list(actual, "signals"));
      } else if (List.of("damaged", "refused").contains(verdict) && silent) {
        wrong.add("signals: a " + verdict + " log, and not a word of it");
      }
    }
    return wrong;
  }

  private static String recordDifference(JsonArray expected, JsonArray actual, Collection<String> reports) {
    String count = "records: expected " + expected.size() + ", found " + actual.size();
    List<String> names = new ArrayList<>(List.of("payload", "payload_sha256"));
    reports.stream().filter(one -> !PARTS.contains(one)).forEach(names::add);
    for (int number = 0; number < Math.min(expected.size(), actual.size()); number++) {
      for (String name : names) {
        String want = canonical(part(expected.get(number).getAsJsonObject(), name));
        String got = canonical(part(actual.get(number).getAsJsonObject(), name));
        if (!want.equals(got)) {
          return String.format("%s; %s of record %d: expected %.80s, found %.80s", count, name, number, want, got);
        }
      }
    }
    return expected.size() == actual.size() ? "" : count;
  }

  /** Lost ranges with their reasons or, without these, the bytes that they cover: a text for each. */
  static List<String> ranges(JsonArray lost, boolean withReasons) {
    List<JsonObject> all = new ArrayList<>();
    lost.forEach(one -> all.add(one.getAsJsonObject()));
    if (withReasons) {
      return all.stream().map(one -> text(one, "file") + " [" + one.get("from") + ", " + one.get("to") + ") "
          + text(one, "reason")).collect(Collectors.toList());
    }
    all.sort(Comparator.comparing((JsonObject one) -> text(one, "file"))
        .thenComparing(one -> one.get("from").getAsLong()).thenComparing(one -> one.get("to").getAsLong()));
    List<String> found = new ArrayList<>();
    String file = null;
    long from = 0;
    long to = 0;
    for (JsonObject one : all) {
      long start = one.get("from").getAsLong();
      long stop = one.get("to").getAsLong();
      if (text(one, "file").equals(file) && start <= to) {
        to = Math.max(to, stop);
        found.remove(found.size() - 1);
      } else if (start < stop) {
        file = text(one, "file");
        from = start;
        to = stop;
      } else {
        continue;
      }
      found.add(file + " [" + from + ", " + to + ")");
    }
    return found;
  }

  /** Digits that stand for all that was said, the wording of signals apart. */
  static String pin(JsonObject actual, Collection<String> reports) {
    JsonObject said = new JsonObject();
    PARTS.stream().filter(reports::contains).forEach(name -> said.add(name, part(actual, name)));
    boolean spoke = reports.contains("signals") && !list(actual, "signals").isEmpty();
    said.addProperty("signals", spoke);
    return Vectors.hex(Vectors.sha256(canonical(said).getBytes(StandardCharsets.UTF_8))).substring(0, 8);
  }

  /** The one text of a value: keys in order, ", " and ": ", all that is not printable ASCII escaped. */
  static String canonical(JsonElement value) {
    if (value.isJsonArray()) {
      return value.getAsJsonArray().asList().stream().map(Comparing::canonical)
          .collect(Collectors.joining(", ", "[", "]"));
    }
    if (value.isJsonObject()) {
      return value.getAsJsonObject().entrySet().stream().sorted((a, b) -> byCodePoint(a.getKey(), b.getKey()))
          .map(one -> quoted(one.getKey()) + ": " + canonical(one.getValue()))
          .collect(Collectors.joining(", ", "{", "}"));
    }
    boolean isText = value instanceof JsonPrimitive && ((JsonPrimitive) value).isString();
    return isText ? quoted(value.getAsString()) : value.toString();
  }

  private static int byCodePoint(String one, String other) {
    return Arrays.compare(one.codePoints().toArray(), other.codePoints().toArray());
  }

  private static String quoted(String text) {
    StringBuilder out = new StringBuilder("\"");
    for (char unit : text.toCharArray()) {
      int known = "\"\\\n\r\t\f\b".indexOf(unit);
      if (known >= 0) {
        out.append('\\').append("\"\\nrtfb".charAt(known));
      } else if (unit >= ' ' && unit <= '~') {
        out.append(unit);
      } else {
        out.append(String.format("\\u%04x", (int) unit));
      }
    }
    return out.append('"').toString();
  }
}

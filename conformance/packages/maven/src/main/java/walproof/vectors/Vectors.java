package walproof.vectors;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The golden vectors of Walproof: journal files (write-ahead logs) and the expected answers. */
public final class Vectors {
  /** The names of all files of the set, because a folder in a jar cannot be listed. */
  private static final String[] NAMES = text("files.txt").split("\n");
  private Vectors() {}

  /** A log and the expected answer; {@code body} is the whole description (vectors/schema.json). */
  public static final class Vector {
    public final String id, format;
    /** read, truncations, write or append. */
    public final String operation;
    /** The name of the log: a file, or a folder for a multi-file log. */
    public final String input;
    public final JsonObject body;

    private Vector(JsonObject body) {
      this.id = body.get("id").getAsString();
      this.format = body.get("format").getAsString();
      this.operation = body.get("operation").getAsString();
      this.input = body.get("input").getAsString();
      this.body = body;
    }

    /** Returns the bytes of each file of the log by file name, with / between the names of nested folders. */
    public Map<String, byte[]> files() {
      Map<String, byte[]> files = new TreeMap<>();
      String path = format + "/" + input;
      for (String name : NAMES) {
        if (name.equals(path) || name.startsWith(path + "/")) {
          files.put(name.substring(name.equals(path) ? format.length() + 1 : path.length() + 1), bytes(name));
        }
      }
      return files;
    }

    /** Returns the correct answers of a reader in a profile, recover or strict; the first is the expected answer. */
    public List<JsonObject> answers(String profile) {
      String suffix = profile.equals("strict") ? "_strict" : "";
      List<JsonObject> answers = new ArrayList<>();
      answers.add(body.getAsJsonObject("expect" + suffix));
      for (JsonElement other : body.has("accept") ? body.getAsJsonArray("accept") : new JsonArray()) {
        answers.add(other.getAsJsonObject().getAsJsonObject("answer" + suffix));
      }
      answers.removeIf(answer -> answer == null);
      return answers;
    }
  }

  /** Returns the contents of index.json: the version of the set, counts, ids and hashes. */
  public static JsonObject index() {
    return JsonParser.parseString(text("index.json")).getAsJsonObject();
  }

  /** Returns the vectors of a format, or of all formats for null, in order of id. */
  public static List<Vector> all(String format) {
    List<Vector> all = new ArrayList<>();
    for (JsonElement row : index().getAsJsonArray("vectors")) {
      String id = row.getAsJsonObject().get("id").getAsString();
      if (format == null || id.startsWith(format + "/")) {
        all.add(load(id));
      }
    }
    return all;
  }

  /** Returns the vector with an id; throws UncheckedIOException if there is none. */
  public static Vector load(String id) {
    return new Vector(JsonParser.parseString(text(id + ".json")).getAsJsonObject());
  }

  private static String text(String path) {
    return new String(bytes(path), StandardCharsets.UTF_8);
  }

  private static byte[] bytes(String path) {
    try (InputStream data = Vectors.class.getResourceAsStream("/vectors/" + path)) {
      if (data == null) {
        throw new IOException("no vectors/" + path);
      }
      return data.readAllBytes();
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }
}

package walproof.vectors;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The golden vectors of Walproof, which lie in this jar under vectors/. */
public final class Vectors {
  private static final Gson GSON = new Gson();
  private static String[] names;

  private Vectors() {}

  /** What vectors/index.json says of the set: version, counts, hashes, ids. */
  public static JsonObject index() throws IOException {
    return json("index.json", JsonObject.class);
  }

  /** The vectors of a format, or of all for null, in order of id. */
  public static List<Vector> all(String format) throws IOException {
    List<Vector> all = new ArrayList<>();
    for (JsonElement row : index().getAsJsonArray("vectors")) {
      String id = row.getAsJsonObject().get("id").getAsString();
      if (format == null || id.startsWith(format + "/")) {
        all.add(load(id));
      }
    }
    return all;
  }

  /** The vector of an id; FileNotFoundException if there is none. */
  public static Vector load(String id) throws IOException {
    return json(id + ".json", Vector.class);
  }

  static Map<String, byte[]> files(String path, String name) throws IOException {
    Map<String, byte[]> found = new TreeMap<>();
    for (String file : names()) {
      if (file.equals(path) || file.startsWith(path + "/")) {
        try (InputStream data = open(file)) {
          String key = file.equals(path) ? name : file.substring(path.length() + 1);
          found.put(key, data.readAllBytes());
        }
      }
    }
    return found;
  }

  /** All files of the set: a jar cannot be asked what is in a folder of it. */
  private static synchronized String[] names() throws IOException {
    if (names == null) {
      try (InputStream list = open("files.txt")) {
        names = new String(list.readAllBytes(), StandardCharsets.UTF_8).split("\n");
      }
    }
    return names;
  }

  static boolean isFile(String path) throws IOException {
    return List.of(names()).contains(path);
  }

  static <T> T json(String path, Class<T> type) throws IOException {
    try (Reader reader = new InputStreamReader(open(path), StandardCharsets.UTF_8)) {
      return GSON.fromJson(reader, type);
    }
  }

  private static InputStream open(String path) throws IOException {
    InputStream found = Vectors.class.getResourceAsStream("/vectors/" + path);
    if (found == null) {
      throw new FileNotFoundException("no vectors/" + path);
    }
    return found;
  }

  static byte[] sha256(byte[] data) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(data);
    } catch (NoSuchAlgorithmException impossible) {
      throw new AssertionError(impossible);
    }
  }

  static String hex(byte[] data) {
    StringBuilder text = new StringBuilder(2 * data.length);
    for (byte one : data) {
      text.append(String.format("%02x", one));
    }
    return text.toString();
  }
}

package walproof.vectors;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.annotations.SerializedName;
import java.util.List;

/** What a reader says of a log. {@code end} is a number, an object with file and at, or null. */
public final class Answer {
  public String verdict;
  public String reason;
  public List<JsonObject> records;
  public List<Lost> lost;
  public JsonElement end;

  /** A range of bytes, {@code from} inclusive, {@code to} exclusive. */
  public static final class Lost {
    public String file;
    public long from;
    public long to;
    public String reason;
  }

  /** Another right result, and why. */
  public static final class Accepted {
    public Answer answer;

    @SerializedName("answer_strict")
    public Answer answerStrict;

    public JsonObject after;
    public String because;
  }

  /** Whether a record, by its number, has this payload. */
  public boolean has(int record, byte[] payload) {
    JsonObject found = records.get(record);
    String key = found.has("payload") ? "payload" : "payload_sha256";
    byte[] said = key.equals("payload") ? payload : Vectors.sha256(payload);
    return found.get(key).getAsString().equals(Vectors.hex(said));
  }
}

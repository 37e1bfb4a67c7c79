package walproof.vectors;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.annotations.SerializedName;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** A log, what is asked of it, and what is owed. vectors/schema.json describes each field. */
public final class Vector {
  public String id;
  public String title;
  public String format;
  public String kind;
  public String group;
  public List<String> requirements;
  public String operation;
  public String input;
  public String sha256;
  public long size;
  public String control;

  @SerializedName("made_by")
  public JsonObject madeBy;

  public JsonObject context;
  public List<JsonObject> records;
  public Answer expect;

  @SerializedName("expect_strict")
  public Answer expectStrict;

  public List<Answer.Accepted> accept;
  public JsonElement table;
  public JsonObject after;

  @SerializedName("must_refuse")
  public boolean mustRefuse;

  @SerializedName("may_refuse")
  public boolean mayRefuse;

  public JsonObject limits;

  /** The bytes of the log by name: one file, or those of a folder, with / between names. */
  public Map<String, byte[]> files() throws IOException {
    return Vectors.files(format + "/" + input, input);
  }

  @Override
  public String toString() {
    return id;
  }
}

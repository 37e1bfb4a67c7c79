package walproof.adapterkit;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;

/** A program under test. {@link Protocol#run} communicates with the harness. */
public interface Implementation {
  Description describe();

  /**
   * Reads the log at {@code request.path()}. If the real reader throws an exception because of the log, the adapter
   * catches it (including {@link RuntimeException}s, never {@link Error}s) and adds it to the answer as a signal, after
   * the records that were released before it. An exception that this method throws counts as a crash, with exit status
   * 70.
   */
  Answer read(Request request) throws Exception;

  /** Writes a new log to {@code request.path()}; an IOException or RuntimeException means that the writer refuses. */
  default void write(Request request) throws Exception {
    throw new Skip("this implementation cannot write a log", null);
  }

  /** Opens the existing log as the implementation does after a restart and appends to it; exceptions as in write. */
  default void append(Request request) throws Exception {
    throw new Skip("this implementation cannot append to a log", null);
  }

  /**
   * The reply to hello. {@code version} is the version of the program under test, taken from its artifact; {@code
   * reports} lists the parts of an answer that the implementation can give. Requests for other formats or profiles are
   * skipped without a call. {@code acknowledges} means that the implementation calls {@link Request#acknowledge} after
   * each durable record, if requested.
   */
  record Description(String name, String version, List<String> formats, List<String> profiles, List<String> reports,
      String homepage, String issues, boolean acknowledges) {
    public Description(String name, String version, List<String> formats, List<String> profiles, List<String> reports,
        String homepage, String issues) {
      this(name, version, formats, profiles, reports, homepage, issues, false);
    }
  }

  /** Sends the number of durable records of a request, and returns when the harness has confirmed it. */
  interface Acknowledge {
    void say(int count) throws IOException;
  }

  /**
   * One request. {@code profile} is recover or strict for a read, otherwise write or append; {@code context} contains
   * information about the log that is not in its bytes, and may be empty; {@code records} are the records to write, see
   * {@link #payload}. Unless {@code acknowledge} is null, each record must be durable at the requested path before the
   * next record is written.
   */
  record Request(String format, Path path, String profile, JsonObject context, List<JsonObject> records,
      Acknowledge acknowledge) {
    /** Returns the payload of a record of this request. */
    public static byte[] payload(JsonObject record) {
      return HexFormat.of().parseHex(record.get("payload").getAsString());
    }
  }

  /** The answer of a reader for a log. */
  final class Answer {
    /** The answer to send. Parts other than records and signals (verdict, lost …) are added here. */
    public final JsonObject json = new JsonObject();
    private final JsonArray records = new JsonArray();
    private final JsonArray signals = new JsonArray();

    public Answer() {
      json.add("records", records);
      json.add("signals", signals);
    }

    /** Adds a record and returns it, so that the adapter can add at, size and the fields of its format. */
    public JsonObject release(byte[] payload) {
      JsonObject record = new JsonObject();
      record.addProperty("payload", HexFormat.of().formatHex(payload));
      records.add(record);
      return record;
    }

    /** Adds a message of the real reader about damage. */
    public void signal(String message) {
      signals.add(message);
    }
  }

  /** Skips a request; {@code issue} is a URL or null. */
  final class Skip extends Exception {
    private static final long serialVersionUID = 1;
    final String issue;

    public Skip(String why, String issue) {
      super(why);
      this.issue = issue;
    }
  }
}

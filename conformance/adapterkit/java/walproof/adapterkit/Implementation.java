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
   * must catch it (including any {@link RuntimeException}, but no {@link Error}) and add it to the answer as a signal,
   * after the records released before it. If this method throws an exception, that counts as a crash (exit status 70).
   */
  Answer read(Request request) throws Exception;

  /** Writes a new log to {@code request.path()}. Throws IOException or RuntimeException if the writer refuses. */
  default void write(Request request) throws Exception {
    throw new Skip("this implementation cannot write a log", null);
  }

  /** Opens a log as the implementation does after a restart, and appends to it. Throws the same as {@link #write}. */
  default void append(Request request) throws Exception {
    throw new Skip("this implementation cannot append to a log", null);
  }

  /**
   * The reply to hello. {@code version} is the version of the program under test, taken from its artifact. {@code
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

  /** Sends the number of a request's records that are durable, and returns once the harness has confirmed it. */
  interface Acknowledge {
    void say(int count) throws IOException;
  }

  /**
   * A request. {@code profile} is recover or strict for a read, otherwise write or append. {@code context} is
   * information that the log's bytes do not contain, and may be empty. {@code records} are the records to write (see
   * {@link #payload}). Unless {@code acknowledge} is null, each record must be durable at the requested path before the
   * next one is written.
   */
  record Request(String format, Path path, String profile, JsonObject context, List<JsonObject> records,
      Acknowledge acknowledge) {
    /** Decodes the payload of one of this request's records. */
    public static byte[] payload(JsonObject record) {
      return HexFormat.of().parseHex(record.get("payload").getAsString());
    }
  }

  /** A reader's answer for a log. */
  final class Answer {
    /** The answer to send. Add parts other than records and signals (verdict, lost, …) to this object. */
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

    /** Adds a message from the real reader about damage. */
    public void signal(String message) {
      signals.add(message);
    }
  }

  /** Thrown to skip a request. {@code issue} is a URL or null. */
  final class Skip extends Exception {
    private static final long serialVersionUID = 1;
    final String issue;

    public Skip(String why, String issue) {
      super(why);
      this.issue = issue;
    }
  }
}

package walproof.vectors;

import com.google.gson.JsonObject;
import java.nio.file.Path;
import java.util.List;

/**
 * What is tested: see {@link VectorTests}. An answer is a JSON object with {@code records}, each with its {@code payload}
 * in hexadecimal and what else it has, {@code signals}, and the other parts that are reported.
 */
public interface Subject {
  /**
   * What a reader releases, and in {@code signals} what it says of damage, exceptions among them: what escapes this
   * method is a crash.
   */
  default JsonObject read(Request request) throws Exception {
    throw new Skip("there is no read");
  }

  /** Makes a log at a path where nothing is. An exception is a refusal; an {@link Error} is a crash. */
  default void write(Request request) throws Exception {
    throw new Skip("there is no write");
  }

  /** Opens a log as after a restart, and adds to it; exceptions as in {@link #write}. */
  default void append(Request request) throws Exception {
    throw new Skip("there is no append");
  }

  /** What is asked. */
  final class Request {
    public final String format;
    /** A scratch copy of a log; of a write, a path where nothing is. */
    public final Path path;
    /** recover, strict, write or append. */
    public final String profile;
    /** What the vector says of the log from outside of it; may be empty. */
    public final JsonObject context;
    /** Those to write or append, each with its payload in hexadecimal. */
    public final List<JsonObject> records;

    Request(String format, Path path, String profile, JsonObject context, List<JsonObject> records) {
      this.format = format;
      this.path = path;
      this.profile = profile;
      this.context = context;
      this.records = records;
    }
  }

  /** Declines a request, saying why. */
  final class Skip extends Exception {
    private static final long serialVersionUID = 1;

    public Skip(String why) {
      super(why);
    }
  }
}

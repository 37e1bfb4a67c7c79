package walproof.adapterkit;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;

/** Measures a reader, for programs that {@code lab bench} starts with the arguments {@code bench LOG REPEAT}. */
public final class Measure {
  private Measure() {}

  /** Opens and reads a log once. */
  public interface Pass {
    Read run() throws Exception;
  }

  /** The number of records that a pass read, and the number of bytes in their payloads. */
  public record Read(long records, long bytes) {}

  /** Times {@code repeat} passes, and prints the times as a JSON object. */
  public static void run(int repeat, Pass pass) throws Exception {
    Read read = new Read(0, 0);
    JsonArray seconds = new JsonArray();
    for (int i = 0; i < repeat; i++) {
      long started = System.nanoTime();
      read = pass.run();
      seconds.add((System.nanoTime() - started) / 1e9);
    }
    JsonObject said = new JsonObject();
    said.addProperty("records", read.records());
    said.addProperty("payload_bytes", read.bytes());
    said.add("all_seconds", seconds);
    System.out.println(said);
  }
}

import com.google.gson.JsonObject;
import io.camunda.zeebe.journal.JournalReader;
import io.camunda.zeebe.journal.file.SegmentedJournal;
import java.nio.file.Path;

/** {@code Adapter bench PATH}: reads a journal with the real reader again and again; one JSON object on stdout. */
final class Bench {
  private static final int ROUNDS = 7;

  private Bench() {}

  static void run(Path log) throws Exception {
    long best = Long.MAX_VALUE;
    long bestOpen = Long.MAX_VALUE;
    long records = 0;
    long bytes = 0;
    try (Adapter.Copy copy = new Adapter.Copy(log, new JsonObject())) {
      for (int round = 0; round < ROUNDS; round++) {
        long start = System.nanoTime();
        records = bytes = 0;
        try (SegmentedJournal journal = Journals.open(copy.folder, copy.name, copy.segmentSize, Adapter.meta(null))) {
          bestOpen = Math.min(bestOpen, System.nanoTime() - start);
          start = System.nanoTime();
          try (JournalReader reader = journal.openReader()) {
            while (reader.hasNext()) {
              bytes += Adapter.bytes(reader.next().data()).length;
              records++;
            }
          }
          best = Math.min(best, System.nanoTime() - start);
        }
      }
    }
    JsonObject result = new JsonObject();
    result.addProperty("implementation", Journals.NAME);
    result.addProperty("records", records);
    result.addProperty("payload_bytes", bytes);
    result.addProperty("open_seconds", bestOpen / 1e9);
    result.addProperty("read_seconds", best / 1e9);
    System.out.println(result);
    System.exit(0);
  }
}

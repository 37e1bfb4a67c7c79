import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.camunda.zeebe.journal.JournalReader;
import io.camunda.zeebe.journal.file.SegmentedJournal;
import java.nio.file.Path;

/** {@code Adapter bench PATH REPEAT}: opens and reads a journal REPEAT times; one JSON object on stdout. */
final class Bench {
  private Bench() {}

  static void run(Path log, int repeat) throws Exception {
    JsonArray seconds = new JsonArray();
    long records = 0;
    long bytes = 0;
    try (Adapter.Copy copy = new Adapter.Copy(log, new JsonObject())) {
      for (int round = 0; round < repeat; round++) {
        long start = System.nanoTime();
        records = bytes = 0;
        try (SegmentedJournal journal = Journals.open(copy.folder, copy.name, copy.segmentSize, Adapter.meta(null));
            JournalReader reader = journal.openReader()) {
          while (reader.hasNext()) {
            bytes += Adapter.bytes(reader.next().data()).length;
            records++;
          }
          seconds.add((System.nanoTime() - start) / 1e9);
        }
      }
    }
    JsonObject result = new JsonObject();
    result.addProperty("records", records);
    result.addProperty("payload_bytes", bytes);
    result.add("all_seconds", seconds);
    System.out.println(result);
    System.exit(0);
  }
}

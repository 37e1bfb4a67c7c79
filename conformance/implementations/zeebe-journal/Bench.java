import com.google.gson.JsonObject;
import io.camunda.zeebe.journal.JournalReader;
import io.camunda.zeebe.journal.file.SegmentedJournal;
import java.nio.file.Path;
import walproof.adapterkit.Measure;

/** {@code Adapter bench PATH REPEAT}: opens and reads a journal REPEAT times. */
final class Bench {
  private Bench() {}

  static void run(Path log, int repeat) throws Exception {
    try (Copy copy = new Copy(log, new JsonObject())) {
      Measure.run(repeat, () -> pass(copy));
    }
    System.exit(0);
  }

  private static Measure.Read pass(Copy copy) throws Exception {
    long records = 0;
    long bytes = 0;
    try (SegmentedJournal journal = Opening.journal(copy.folder, copy.name, copy.segmentSize, null);
        JournalReader reader = journal.openReader()) {
      while (reader.hasNext()) {
        bytes += Adapter.bytes(reader.next().data()).length;
        records++;
      }
    }
    return new Measure.Read(records, bytes);
  }
}

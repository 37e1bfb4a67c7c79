import com.google.gson.JsonObject;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.activemq.store.kahadb.disk.journal.Journal;
import org.apache.activemq.store.kahadb.disk.journal.Location;
import org.apache.activemq.util.ByteSequence;
import walproof.adapterkit.Measure;

/** Measures the reader, which starts with a check of all files and then reads every record. */
final class Bench {
  private Bench() {}

  /** {@code bench LOG REPEAT}: LOG is an intact data file or a folder of such files. */
  static void run(Path log, int repeat) throws Exception {
    try (Copy copy = new Copy(log)) {
      Measure.run(repeat, () -> pass(copy));
    }
  }

  private static Measure.Read pass(Copy copy) throws Exception {
    long records = 0;
    long bytes = 0;
    Journal journal = Adapter.open(copy.folder, new JsonObject());
    journal.start();
    for (Location at = null; (at = journal.getNextLocation(at)) != null; ) {
      ByteSequence data = journal.read(at);
      records++;
      bytes += data.getLength();
    }
    journal.close();
    return new Measure.Read(records, bytes);
  }

  /**
   * {@code generate FOLDER COUNT SIZE HOW}: creates a journal in an existing folder. HOW is a comma-separated list:
   * async (one write for as many records as possible) or sync; checksum; a preallocation; and max=, the maximum length
   * of a file. Record n consists of its number in twelve digits, repeated up to SIZE bytes.
   */
  static void generate(Path folder, int count, int size, String how) throws Exception {
    JsonObject context = new JsonObject();
    List<String> words = new ArrayList<>(List.of(how.split(",")));
    words.removeIf(word -> {
      if (word.startsWith("max=")) {
        context.addProperty("max_file_length", Integer.parseInt(word.substring(4)));
      }
      return word.startsWith("max=");
    });
    Journal journal = Adapter.open(folder, context);
    boolean sync = words.remove("sync");
    words.remove("async");
    journal.setChecksum(words.remove("checksum"));
    for (String strategy : words) {
      journal.setPreallocationScope(Journal.PreallocationScope.ENTIRE_JOURNAL);
      journal.setPreallocationStrategy(Adapter.strategy(strategy));
    }
    journal.start();
    for (int n = 0; n < count; n++) {
      byte[] number = String.format("%012d", n).getBytes(StandardCharsets.US_ASCII);
      byte[] payload = new byte[size];
      for (int i = 0; i < size; i++) {
        payload[i] = number[i % number.length];
      }
      journal.write(new ByteSequence(payload), sync);
    }
    journal.close();
  }
}

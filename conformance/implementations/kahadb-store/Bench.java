import com.google.gson.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.activemq.store.kahadb.disk.journal.Journal;
import org.apache.activemq.store.kahadb.disk.journal.Location;
import org.apache.activemq.util.ByteSequence;

/** Measures the reader: start with the check of all files, then every record. */
final class Bench {
  private Bench() {}

  /** {@code bench FOLDER REPEAT}; prints one JSON object. The folder must hold sound data files only. */
  static void run(Path folder, int repeat) throws Exception {
    List<Double> seconds = new ArrayList<>();
    long records = 0;
    long bytes = 0;
    if (!Files.isDirectory(folder)) {
      throw new IllegalArgumentException("expected a folder of data files, found " + folder);
    }
    for (int i = 0; i < repeat; i++) {
      long started = System.nanoTime();
      records = bytes = 0;
      Journal journal = Adapter.open(folder, new JsonObject());
      journal.start();
      for (Location at = null; (at = journal.getNextLocation(at)) != null; ) {
        ByteSequence data = journal.read(at);
        records++;
        bytes += data.getLength();
      }
      seconds.add((System.nanoTime() - started) / 1e9);
      journal.close();
    }
    double best = seconds.stream().min(Double::compare).orElseThrow();
    System.out.printf("{\"records\":%d,\"payload_bytes\":%d,\"seconds\":%.6f,\"all_seconds\":%s}%n",
        records, bytes, best, seconds);
  }
}

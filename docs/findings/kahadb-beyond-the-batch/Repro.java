import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.apache.activemq.store.kahadb.disk.journal.Journal;
import org.apache.activemq.store.kahadb.disk.journal.Location;
import org.apache.activemq.util.ByteSequence;

public class Repro {
  static final String LOG =
      "0000001c0257524954452042415443480000001400000000219c04370000000a01616c7068610000000a0162"
      + "7261766f0000001c0257524954452042415443480000001b00000000402305300000000c01636861726c6965"
      + "00000034010000000a0164656c74610000001c0257524954452042415443480000000900000000044001aa00"
      + "000009016563686f2d714d6134";

  public static void main(String[] arguments) throws Exception {
    Path folder = Files.createTempDirectory("kahadb");
    Files.write(folder.resolve("db-1.log"), HexFormat.of().parseHex(LOG));
    Journal journal = open(folder);
    journal.start();
    List<String> records = read(journal);
    System.out.println("expected: [alpha, bravo, charlie, echo]");
    System.out.println("actual:   " + records.toString().replaceAll("[^ -~]", "."));
    System.exit(0);
  }

  static Journal open(Path folder) {
    Journal journal = new Journal();
    journal.setDirectory(folder.toFile());
    journal.setChecksum(true);
    journal.setCheckForCorruptionOnStartup(true);
    return journal;
  }

  static List<String> read(Journal journal) throws Exception {
    List<String> records = new ArrayList<>();
    for (Location at = null; (at = journal.getNextLocation(at)) != null; ) {
      ByteSequence record = journal.read(at);
      records.add(new String(record.data, record.offset, record.length));
    }
    return records;
  }
}

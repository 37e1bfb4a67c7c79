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
      "0000001c02575249544520424154434800000011000000001c5d03a300000011017265636f72642030303030"
      + "310000001c025652495445204241544348000000370000000000be0a8b0000003701636f70793a200000001c"
      + "0257524954452042415443480000000c000000000c4403050000000c017068616e746f6d7461696c0000001c"
      + "02575249544520424154434800000011000000001c5f03a500000011017265636f72642030303030332d714d"
      + "6134";

  public static void main(String[] arguments) throws Exception {
    Path folder = Files.createTempDirectory("kahadb");
    Files.write(folder.resolve("db-1.log"), HexFormat.of().parseHex(LOG));
    Journal journal = open(folder);
    journal.start();
    System.out.println("expected: [record 00001, record 00003]");
    System.out.println("actual:   " + read(journal).toString().replaceAll("[^ -~]", "."));
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

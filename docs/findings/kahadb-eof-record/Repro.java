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
      + "310000001c02575249544520424154434800000011000000001c5e03a400000011017265636f726420303030"
      + "30322d714d61340000001c02575249544520424154434800000011000000001c5f03a500000011017265636f"
      + "72642030303030330000001c02575249544520424154434800000011000000001c6003a60000001101726563"
      + "6f72642030303030340000001c02575249544520424154434800000011000000001c6103a700000011017265"
      + "636f72642030303030352d714d6134";

  public static void main(String[] arguments) throws Exception {
    Path folder = Files.createTempDirectory("kahadb");
    Files.write(folder.resolve("db-1.log"), HexFormat.of().parseHex(LOG));
    Journal journal = open(folder);
    journal.start();
    System.out.println("expected: [record 00001, record 00002, record 00003, record 00004, record 00005]");
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

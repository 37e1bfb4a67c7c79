import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteOptions;

/** Flips one bit in the type of a record of a log, and of a MANIFEST, and opens the database. */
public class Repro {
  public static void main(String[] arguments) throws Exception {
    RocksDB.loadLibrary();
    String found = "";
    for (WALRecoveryMode mode : WALRecoveryMode.values()) {
      found += "log, " + mode + ": " + open(damaged("*.log"), mode) + "\n";
    }
    found += "MANIFEST: " + open(damaged("MANIFEST-*"), WALRecoveryMode.PointInTimeRecovery);
    System.out.println(found);
    System.out.flush();
    Runtime.getRuntime().halt(found.contains("still opening") ? 1 : 0);
  }

  /** Copies a database as a killed process leaves it; in one file, the type of the second record is 5 instead of 1. */
  static Path damaged(String name) throws Exception {
    Path made = Files.createTempDirectory("made"), left = Files.createTempDirectory("left");
    try (Options options = new Options().setCreateIfMissing(true);
        RocksDB db = RocksDB.open(options, made.toString());
        WriteOptions sync = new WriteOptions().setSync(true)) {
      for (int i = 0; i < 4; i++) {
        db.put(sync, ("key" + i).getBytes(), ("value" + i).getBytes());
      }
      try (var files = Files.newDirectoryStream(made)) {
        for (Path file : files) {
          Files.copy(file, left.resolve(file.getFileName()));
        }
      }
    }
    try (var files = Files.newDirectoryStream(left, name)) {
      Path file = files.iterator().next();
      byte[] log = Files.readAllBytes(file);
      int second = 7 + (log[4] & 0xff) + 256 * (log[5] & 0xff);
      log[second + 6] ^= 4;
      Files.write(file, log);
    }
    return left;
  }

  /** Returns the outcome of opening a database, with a limit of five seconds. */
  static String open(Path folder, WALRecoveryMode mode) throws Exception {
    List<String> outcome = new java.util.concurrent.CopyOnWriteArrayList<>();
    Thread opening = new Thread(() -> {
      try (Options options = new Options().setWalRecoveryMode(mode);
          RocksDB db = RocksDB.open(options, folder.toString())) {
        outcome.add("opened");
      } catch (Exception error) {
        outcome.add("an error");
      }
    });
    opening.setDaemon(true);
    opening.start();
    opening.join(5000);
    return outcome.isEmpty() ? "still opening after 5 s" : outcome.get(0);
  }
}

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteOptions;

/** Flips one bit of a value of 100,000 bytes in the log and opens the database with SkipAnyCorruptedRecords. */
public class Repro {
  public static void main(String[] arguments) throws Exception {
    RocksDB.loadLibrary();
    String plain = open("kNoCompression"), compressed = open("kZSTD");
    System.out.println("wal_compression kNoCompression: " + plain);
    System.out.println("wal_compression kZSTD: " + compressed);
    System.exit(plain.equals("[b, c, d]") && compressed.equals("[b, c, d]") ? 0 : 1);
  }

  static String open(String compression) throws Exception {
    Path made = Files.createTempDirectory("made"), left = Files.createTempDirectory("left");
    Properties properties = new Properties();
    properties.setProperty("wal_compression", compression);
    DBOptions dbOptions = DBOptions.getDBOptionsFromProps(properties).setCreateIfMissing(true);
    Random random = new Random(1);
    try (Options options = new Options(dbOptions, new ColumnFamilyOptions());
        RocksDB db = RocksDB.open(options, made.toString());
        WriteOptions sync = new WriteOptions().setSync(true)) {
      for (String key : List.of("a", "b", "c", "d")) {
        byte[] value = new byte[100000];
        random.nextBytes(value);
        db.put(sync, key.getBytes(), value);
      }
      try (var files = Files.newDirectoryStream(made)) {
        for (Path file : files) {
          Files.copy(file, left.resolve(file.getFileName()));
        }
      }
    }
    try (var logs = Files.newDirectoryStream(left, "*.log")) {
      Path file = logs.iterator().next();
      byte[] log = Files.readAllBytes(file);
      log[50000] ^= 1; // in the value of a
      Files.write(file, log);
    }
    List<String> keys = new ArrayList<>();
    try (Options options = new Options().setWalRecoveryMode(WALRecoveryMode.SkipAnyCorruptedRecords);
        RocksDB db = RocksDB.open(options, left.toString());
        RocksIterator all = db.newIterator()) {
      for (all.seekToFirst(); all.isValid(); all.next()) {
        keys.add(new String(all.key()));
      }
    } catch (RocksDBException error) {
      return error.getMessage();
    }
    return keys.toString();
  }
}

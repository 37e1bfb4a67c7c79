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
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteOptions;

/** Opens an undamaged database after a kill. The log is compressed, log files are recycled, and all other options are defaults. */
public class Repro {
  static final Random RANDOM = new Random(1);

  public static void main(String[] arguments) throws Exception {
    RocksDB.loadLibrary();
    Path made = Files.createTempDirectory("made"), left = Files.createTempDirectory("left");
    try (Options options = options();
        RocksDB db = RocksDB.open(options, made.toString());
        WriteOptions sync = new WriteOptions().setSync(true)) {
      db.put(sync, "a".getBytes(), value(1000));
      // The size that a record adds to an incompressible value. The third record must begin 20
      // bytes before the end of a block.
      long start = 11; // after the compression type
      long overhead = size(made) - start - 1000;
      db.put(sync, "b".getBytes(), value((int) (32768 - 20 - size(made) - overhead - 1)));
      db.put(sync, "c".getBytes(), value(100000));
      db.put(sync, "d".getBytes(), value(1000));
      try (var files = Files.newDirectoryStream(made)) {
        for (Path file : files) {
          Files.copy(file, left.resolve(file.getFileName()));
        }
      }
    }
    List<String> keys = new ArrayList<>();
    try (Options options = options();
        RocksDB db = RocksDB.open(options, left.toString());
        RocksIterator all = db.newIterator()) {
      for (all.seekToFirst(); all.isValid(); all.next()) {
        keys.add(new String(all.key()));
      }
    }
    System.out.println("opened with the keys " + keys);
    System.exit(keys.size() == 4 ? 0 : 1);
  }

  static Options options() {
    Properties properties = new Properties();
    properties.setProperty("wal_compression", "kZSTD");
    properties.setProperty("recycle_log_file_num", "1");
    DBOptions options = DBOptions.getDBOptionsFromProps(properties).setCreateIfMissing(true);
    return new Options(options, new ColumnFamilyOptions());
  }

  static byte[] value(int size) {
    byte[] bytes = new byte[size];
    RANDOM.nextBytes(bytes);
    return bytes;
  }

  static long size(Path folder) throws Exception {
    try (var logs = Files.newDirectoryStream(folder, "*.log")) {
      return Files.size(logs.iterator().next());
    }
  }
}

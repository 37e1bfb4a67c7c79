import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;
import org.apache.activemq.store.kahadb.disk.journal.DataFile;
import walproof.adapterkit.Implementation.Answer;

/**
 * A private folder with a copy of a log. The journal opens its files for writing and creates a missing file, and a
 * process that is killed while start() loops must not leave anything in the folder of the log.
 */
final class Copy implements AutoCloseable {
  private static final String ONLY_FILE = "db-1.log";
  private static final long STALE_MILLIS = 600_000;

  final Path folder;
  /** Bytes and number of the copied files. */
  long size;
  int files;
  private final boolean several;

  /** Copies a data file, or the files and (empty) subfolders of a folder; for null, the copy is empty. */
  Copy(Path log) throws IOException {
    String scratch = System.getProperty("walproof.scratch");
    if (scratch == null) {
      folder = Files.createTempDirectory("kahadb");
    } else {
      Path parent = Files.createDirectories(Path.of(scratch));
      sweep(parent);
      folder = Files.createTempDirectory(parent, "copy");
    }
    several = log != null && Files.isDirectory(log);
    if (log == null) {
      return;
    }
    for (Path file : several ? list(log) : List.of(log)) {
      Files.copy(file, folder.resolve(several ? file.getFileName().toString() : ONLY_FILE));
      if (Files.isRegularFile(file)) {
        size += Files.size(file);
        files++;
      }
    }
  }

  /** Adds the name of the file, if the log has several files. */
  void name(JsonObject part, DataFile file) {
    if (several) {
      part.addProperty("file", file.getFile().getName());
    }
  }

  /** Adds the position of the next write. The suite shows this position but does not compare it: see README.md. */
  void end(Answer answer, DataFile file) {
    if (several) {
      JsonObject end = new JsonObject();
      name(end, file);
      end.addProperty("at", file.getLength());
      answer.json.add("end", end);
    } else {
      answer.json.addProperty("end", file.getLength());
    }
  }

  void putFile(Path path) throws IOException {
    Files.copy(folder.resolve(ONLY_FILE), path, StandardCopyOption.REPLACE_EXISTING);
  }

  void putFolder(Path path) throws IOException {
    Files.createDirectories(path);
    for (Path file : list(folder)) {
      if (Files.isRegularFile(file)) {
        Files.copy(file, path.resolve(file.getFileName().toString()), StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }

  void putBack(Path path) throws IOException {
    if (several) {
      putFolder(path);
    } else {
      putFile(path);
    }
  }

  @Override
  public void close() throws IOException {
    delete(folder);
  }

  /** Removes the folders that killed processes have left. */
  private static void sweep(Path parent) throws IOException {
    long now = System.currentTimeMillis();
    try (Stream<Path> old = Files.list(parent)) {
      for (Path copy : old.toList()) {
        try {
          if (now - Files.getLastModifiedTime(copy).toMillis() > STALE_MILLIS) {
            delete(copy);
          }
        } catch (IOException gone) {
          // another process removed it
        }
      }
    }
  }

  private static void delete(Path folder) throws IOException {
    for (Path file : list(folder)) {
      Files.deleteIfExists(file);
    }
    Files.deleteIfExists(folder);
  }

  private static List<Path> list(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList();
    }
  }
}

import java.io.File;
import java.io.FilenameFilter;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A folder that lists its files by name. If two names have the same number, the journal keeps the file that is listed
 * last, and the order of the file system differs between machines.
 */
final class SortedFolder extends File {
  private static final long serialVersionUID = 1;

  SortedFolder(Path folder) {
    super(folder.toString());
  }

  @Override
  public File[] listFiles(FilenameFilter filter) {
    File[] files = super.listFiles(filter);
    if (files != null) {
      Arrays.sort(files);
    }
    return files;
  }
}

import io.atomix.raft.storage.RaftStorage;
import io.atomix.raft.storage.log.RaftLog;
import io.atomix.raft.storage.system.MetaStore;
import java.io.File;
import java.util.List;

/**
 * Opens partition folders with a broker's own storage, which changes them. {@code PREFIX FOLDER...} prints a line of
 * tab-separated values for each FOLDER: whether the lock is taken; term, vote and flushed index; the members; the first
 * and the last index of the journal. The name of an exception stands in place of a value.
 */
public final class Partition {
  public static void main(String[] args) {
    String prefix = args[0];
    for (String folder : List.of(args).subList(1, args.length)) {
      RaftStorage storage =
          RaftStorage.builder().withDirectory(new File(folder)).withPrefix(prefix).withFreeDiskSpace(0).build();
      MetaStore[] meta = new MetaStore[1];
      String line = attempt(() -> "" + storage.lock("0"));
      line += "\t" + attempt(() -> {
        meta[0] = storage.openMetaStore();
        return meta[0].loadTerm() + " " + meta[0].loadVote() + " " + meta[0].loadLastFlushedIndex();
      });
      line += "\t" + attempt(() -> {
        var found = meta[0].loadConfiguration();
        return found == null ? "null" : "" + found.newMembers().stream().map(member -> member.memberId().id()).toList();
      });
      line += "\t" + attempt(() -> {
        try (RaftLog log = storage.openLog(meta[0], () -> null)) {
          return log.getFirstIndex() + " " + log.getLastIndex();
        }
      });
      System.out.println(line.replace('\0', '?'));
    }
    System.out.flush();
    Runtime.getRuntime().halt(0);
  }

  private interface Attempt {
    String run() throws Exception;
  }

  private static String attempt(Attempt attempt) {
    try {
      return attempt.run();
    } catch (Exception thrown) {
      return thrown.getClass().getSimpleName();
    }
  }
}

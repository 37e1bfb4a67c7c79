import io.atomix.raft.storage.RaftStorage;
import io.atomix.raft.storage.system.MetaStore;
import io.camunda.zeebe.journal.JournalMetaStore;
import io.camunda.zeebe.journal.file.SegmentedJournal;
import java.nio.file.Path;

/** What differs between releases: this is 8.3. */
final class Journals {
  static final String NAME = "zeebe-journal";

  private Journals() {}

  /** Opens a journal, which is when it recovers. */
  static SegmentedJournal open(Path folder, String name, int segmentSize, JournalMetaStore meta) {
    return SegmentedJournal.builder()
        .withDirectory(folder.toFile())
        .withName(name)
        .withMaxSegmentSize(segmentSize)
        .withFreeDiskSpace(0)
        .withPreallocateSegmentFiles(true)
        .withMetaStore(meta)
        .build();
  }

  /** F as the real store reads it from the .meta file; null where it has none. */
  static Long flushedIndex(Path folder, String name) throws Exception {
    RaftStorage storage = RaftStorage.builder().withDirectory(folder.toFile()).withPrefix(name).build();
    try (MetaStore store = new MetaStore(storage)) {
      return store.hasLastFlushedIndex() ? (Long) store.loadLastFlushedIndex() : null;
    }
  }
}

import io.atomix.raft.storage.system.MetaStore;
import io.camunda.zeebe.journal.JournalMetaStore;
import io.camunda.zeebe.journal.file.SegmentedJournal;
import java.io.IOException;
import java.nio.file.Path;

/** Opens a journal as a broker does, which recovers it. */
final class Opening {
  private Opening() {}

  /** Opens a journal with F, the flushed index, or null. */
  static SegmentedJournal journal(Path folder, String name, int segmentSize, Long flushed) {
    JournalMetaStore meta = new JournalMetaStore.InMemory();
    if (flushed != null) {
      meta.storeLastFlushedIndex(flushed);
    }
    return withStore(folder, name, segmentSize, meta);
  }

  /** Opens a journal with the store that keeps F. */
  static SegmentedJournal withStore(Path folder, String name, int segmentSize, JournalMetaStore meta) {
    return Journals.builder()
        .withDirectory(folder.toFile())
        .withName(name)
        .withMaxSegmentSize(segmentSize)
        .withFreeDiskSpace(0)
        .withPreallocateSegmentFiles(true)
        .withMetaStore(meta)
        .build();
  }

  /** The store of a broker, which keeps F in the .meta file beside the journal. */
  static MetaStore metaStore(Path folder, String name) throws IOException {
    return Journals.metaStore(Journals.storage().withDirectory(folder.toFile()).withPrefix(name).build());
  }

  /** Returns F as the real store reads it from the .meta file; null if there is none. */
  static Long flushedIndex(Path folder, String name) throws Exception {
    try (MetaStore store = metaStore(folder, name)) {
      return store.hasLastFlushedIndex() ? (Long) store.loadLastFlushedIndex() : null;
    }
  }
}

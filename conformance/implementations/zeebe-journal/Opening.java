import io.atomix.raft.storage.system.MetaStore;
import io.camunda.zeebe.journal.JournalMetaStore;
import io.camunda.zeebe.journal.file.SegmentedJournal;
import java.io.IOException;
import java.nio.file.Path;

/** Opens journals as a broker does, which recovers them. */
final class Opening {
  private Opening() {}

  /** Opens a journal with the flushed index F, or without a flushed index if F is null. */
  static SegmentedJournal journal(Path folder, String name, int segmentSize, Long flushed) {
    JournalMetaStore meta = new JournalMetaStore.InMemory();
    if (flushed != null) {
      meta.storeLastFlushedIndex(flushed);
    }
    return withStore(folder, name, segmentSize, meta);
  }

  /** Opens a journal with the store of F. */
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

  /** Returns the store of a broker, which keeps F in the .meta file next to the journal. */
  static MetaStore metaStore(Path folder, String name) throws IOException {
    return Journals.metaStore(Journals.storage().withDirectory(folder.toFile()).withPrefix(name).build());
  }

  /** Returns F as the real store reads it from the .meta file, or null if the file has none. */
  static Long flushedIndex(Path folder, String name) throws Exception {
    try (MetaStore store = metaStore(folder, name)) {
      return store.hasLastFlushedIndex() ? (Long) store.loadLastFlushedIndex() : null;
    }
  }
}

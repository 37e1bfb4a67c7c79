import io.atomix.raft.storage.RaftStorage;
import io.atomix.raft.storage.system.MetaStore;
import io.camunda.zeebe.journal.JournalMetaStore;
import io.camunda.zeebe.journal.file.SegmentedJournal;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;

/** What differs between releases: this is 8.7. */
final class Journals {
  static final String NAME = "zeebe-journal-java21";
  private static final MeterRegistry METERS = new SimpleMeterRegistry();

  private Journals() {}

  /** Opens a journal, which is when it recovers. */
  static SegmentedJournal open(Path folder, String name, int segmentSize, JournalMetaStore meta) {
    return SegmentedJournal.builder(METERS)
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
    RaftStorage storage = RaftStorage.builder(METERS).withDirectory(folder.toFile()).withPrefix(name).build();
    try (MetaStore store = new MetaStore(storage, METERS)) {
      return store.hasLastFlushedIndex() ? (Long) store.loadLastFlushedIndex() : null;
    }
  }
}

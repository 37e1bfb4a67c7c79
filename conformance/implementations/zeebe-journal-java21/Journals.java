import io.atomix.raft.storage.RaftStorage;
import io.atomix.raft.storage.system.MetaStore;
import io.camunda.zeebe.journal.file.SegmentedJournal;
import io.camunda.zeebe.journal.file.SegmentedJournalBuilder;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;

/** The parts of the API that differ between releases, for release 8.7. */
final class Journals {
  static final String NAME = "zeebe-journal-java21";
  private static final MeterRegistry METERS = new SimpleMeterRegistry();

  private Journals() {}

  static SegmentedJournalBuilder builder() {
    return SegmentedJournal.builder(METERS);
  }

  static RaftStorage.Builder storage() {
    return RaftStorage.builder(METERS);
  }

  static MetaStore metaStore(RaftStorage storage) throws IOException {
    return new MetaStore(storage, METERS);
  }
}

import io.atomix.raft.storage.RaftStorage;
import io.atomix.raft.storage.system.MetaStore;
import io.camunda.zeebe.journal.file.SegmentedJournal;
import io.camunda.zeebe.journal.file.SegmentedJournalBuilder;
import java.io.IOException;

/** The parts of the API that differ between releases, for release 8.3. */
final class Journals {
  static final String NAME = "zeebe-journal";

  private Journals() {}

  static SegmentedJournalBuilder builder() {
    return SegmentedJournal.builder();
  }

  static RaftStorage.Builder storage() {
    return RaftStorage.builder();
  }

  static MetaStore metaStore(RaftStorage storage) throws IOException {
    return new MetaStore(storage);
  }
}

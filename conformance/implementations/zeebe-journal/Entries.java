import com.google.gson.JsonObject;
import io.atomix.cluster.MemberId;
import io.atomix.raft.cluster.RaftMember;
import io.atomix.raft.cluster.impl.DefaultRaftMember;
import io.atomix.raft.storage.log.entry.ConfigurationEntry;
import io.atomix.raft.storage.log.entry.InitialEntry;
import io.atomix.raft.storage.log.entry.SerializedApplicationEntry;
import io.atomix.raft.storage.serializer.RaftEntrySBESerializer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** {@code Adapter entries}: prints raft entries from the real serializer in hexadecimal, as one JSON object. */
final class Entries {
  private static final RaftEntrySBESerializer SERIALIZER = new RaftEntrySBESerializer();

  private Entries() {}

  static void print() {
    UnsafeBuffer text = new UnsafeBuffer("Test".getBytes(StandardCharsets.UTF_8));
    List<RaftMember> two =
        List.of(member("1", RaftMember.Type.ACTIVE, 123456), member("2", RaftMember.Type.PASSIVE, 123457));
    List<RaftMember> joined =
        List.of(member("1", RaftMember.Type.ACTIVE, 123456), member("22", RaftMember.Type.PROMOTABLE, 123457));
    ExpandableArrayBuffer buffer = new ExpandableArrayBuffer();
    JsonObject entries = new JsonObject();
    entries.addProperty("initial", hex(buffer, SERIALIZER.writeInitialEntry(5, new InitialEntry(), buffer, 0)));
    SerializedApplicationEntry application = new SerializedApplicationEntry(1, 2, text);
    entries.addProperty("application", hex(buffer, SERIALIZER.writeApplicationEntry(5, application, buffer, 0)));
    entries.addProperty("configuration", hex(buffer, write(new ConfigurationEntry(1234, two), buffer)));
    entries.addProperty("joint", hex(buffer, write(new ConfigurationEntry(1234, joined, two.subList(0, 1)), buffer)));
    System.out.println(entries);
    System.exit(0);
  }

  private static int write(ConfigurationEntry entry, ExpandableArrayBuffer buffer) {
    return SERIALIZER.writeConfigurationEntry(5, entry, buffer, 0);
  }

  private static RaftMember member(String id, RaftMember.Type type, long updated) {
    return new DefaultRaftMember(MemberId.from(id), type, Instant.ofEpochMilli(updated));
  }

  private static String hex(ExpandableArrayBuffer buffer, int length) {
    return HexFormat.of().formatHex(buffer.byteArray(), 0, length);
  }
}

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import walproof.adapterkit.Implementation;
import walproof.vectors.Subject;
import walproof.vectors.VectorTests;

class WalproofTest {
  @TestFactory
  Stream<DynamicTest> vectors() throws IOException {
    return new VectorTests("zeebe-journal", new Zeebe())
        .reports("records", "signals", "index", "asqn", "checksum", "term", "entry_type", "entry")
        .profiles("recover", "write", "append")
        .known(Path.of("known-failures.json"))
        .tests();
  }

  /** Your own reader and writer go here; {@code Adapter} drives Zeebe's SegmentedJournal on a copy. */
  private static final class Zeebe implements Subject {
    private final Adapter journal = new Adapter();

    @Override
    public JsonObject read(Request asked) throws Exception {
      try {
        JsonObject answer = journal.read(converted(asked)).json; // {"records": [{"payload": "…", …}], "signals": […]}
        return JsonParser.parseString(new Gson().toJson(answer)).getAsJsonObject(); // without nulls, as in the list
      } catch (Implementation.Skip skip) {
        throw new Skip(skip.getMessage());
      }
    }

    @Override
    public void write(Request asked) throws Exception {
      try {
        journal.write(converted(asked));
      } catch (Implementation.Skip skip) {
        throw new Skip(skip.getMessage());
      }
    }

    @Override
    public void append(Request asked) throws Exception {
      try {
        journal.append(converted(asked));
      } catch (Implementation.Skip skip) {
        throw new Skip(skip.getMessage());
      }
    }

    private static Implementation.Request converted(Request asked) {
      return new Implementation.Request(
          asked.format, asked.path, asked.profile, asked.context, asked.records, null);
    }
  }
}

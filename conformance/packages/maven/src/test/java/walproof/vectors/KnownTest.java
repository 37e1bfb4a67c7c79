package walproof.vectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KnownTest {
  private static final String WRITTEN = "{\"causes\": {\"why\": \"Because.\"}, \"failures\": ["
      + entry("a/one", "recover", "fail", "records [0123abcd]") + ", "
      + entry("a/two", "append", "fail", "files [0123abcd]") + ", "
      + entry("a/three", "recover", "crash", "it fell") + "]}";

  @TempDir Path folder;

  private static String entry(String... parts) {
    return String.format("{\"vector\": \"%s\", \"profile\": \"%s\", \"result\": \"%s\", \"difference\": \"%s\","
        + " \"cause\": \"why\"}", (Object[]) parts);
  }

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("known.json"), text);
  }

  @Test
  void theListIsStrictBothWays() throws Exception {
    Known known = new Known(file(WRITTEN), false);
    for (String[] one : new String[][] {
        {"a/one", "recover", "fail", "in other words [0123abcd]", "known-failure"},
        {"a/one", "recover", "fail", "records [ffffffff]", "fail"},
        {"a/one", "recover", "crash", "", "crash"},
        {"a/one", "recover", "pass", "", "unexpected-pass"},
        {"a/one", "recover", "skipped", "not today", "skipped"},
        {"a/one", "strict", "fail", "records [0123abcd]", "fail"},
        {"a/two", "append", "fail", "whatever", "known-failure"},
        {"a/three", "recover", "crash", "elsewhere", "known-failure"},
        {"a/four", "recover", "pass", "", "pass"}}) {
      String[] found = known.compared(one[0], one[1], one[2], one[3]);
      assertEquals(one[4], found[0], String.join(" ", one));
      assertEquals(one[4].equals("known-failure"), found[1].equals("Because."));
    }
    assertEquals(List.of("a/three"), known.strangers("a", List.of("a/one", "a/two")));
  }

  @Test
  void anUpdateWritesWhatIsNewAndTakesOffWhatIsRight() throws Exception {
    Path path = file(WRITTEN);
    Known known = new Known(path, true);
    for (String[] one : new String[][] {
        {"a/one", "recover", "pass", "", "pass"},
        {"a/two", "append", "fail", "whatever", "known-failure"},
        {"a/three", "recover", "fail", "\u00e9 <> [ffffffff]", "known-failure"},
        {"a/four", "recover", "timeout", "no answer", "known-failure"},
        {"a/five", "recover", "skipped", "not today", "skipped"},
        {"a/six", "recover", "pass", "", "pass"}}) {
      assertEquals(one[4], known.updated(one[0], one[1], one[2], one[3])[0], String.join(" ", one));
    }
    String owed = "{\"causes\": {\"unexplained\": \"\", \"why\": \"Because.\"}, \"failures\": ["
        + entry("a/four", "recover", "timeout", "no answer").replace("\"why\"", "\"unexplained\"") + ", "
        + entry("a/three", "recover", "fail", "\u00e9 <> [ffffffff]") + ", "
        + entry("a/two", "append", "fail", "files [0123abcd]") + "]}";
    assertEquals(JsonParser.parseString(owed), JsonParser.parseString(Files.readString(path)));
    assertTrue(Files.readString(path).contains("<>"));
    assertEquals("known-failure", new Known(path, false).compared("a/three", "recover", "fail", "[ffffffff]")[0]);
    known.forget(List.of("a/four", "a/three", "a/two"));
    assertTrue(Files.notExists(path), "an empty list is removed");
    assertThrows(IOException.class, () -> new Known(null, true));
  }

  @Test
  void aListThatDoesNotHoldTogetherIsRefused() throws Exception {
    Path path = file(WRITTEN.replace("\"why\": \"Because.\"", ""));
    assertTrue(assertThrows(IOException.class, () -> new Known(path, false)).getMessage().contains("the cause why is not there"));
    new Known(folder.resolve("none.json"), false);
    Path gone = file(WRITTEN.replace("a/one", "leveldb-log/gone"));
    VectorTests tests = new VectorTests("leveldb-log", new Subject() {}).known(gone);
    assertTrue(assertThrows(IOException.class, tests::tests).getMessage().contains("leveldb-log/gone"));
    assertThrows(IOException.class, () -> new VectorTests("nothing", new Subject() {}).tests());
  }

  @Test
  void canonicalTextsAndCoveredBytes() {
    String text = "{\"b\": [1, true, null], \"a\": \"\u00e9\u007f\\n\\\"\ud83e\udd80 ~\"}";
    assertEquals("{\"a\": \"\\u00e9\\u007f\\n\\\"\\ud83e\\udd80 ~\", \"b\": [1, true, null]}",
        Comparing.canonical(JsonParser.parseString(text)));
    String lost = "[{\"from\": 4, \"to\": 9}, {\"from\": 1, \"to\": 4}, {\"from\": 20, \"to\": 20}]";
    assertEquals(List.of(" [1, 9)"), Comparing.ranges(JsonParser.parseString(lost).getAsJsonArray(), false));
  }
}

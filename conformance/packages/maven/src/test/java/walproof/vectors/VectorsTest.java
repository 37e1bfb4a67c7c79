package walproof.vectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import java.io.FileNotFoundException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class VectorsTest {
  @Test
  void everyVectorLoadsAndItsLogHasItsHash() throws Exception {
    List<Vector> all = Vectors.all(null);
    JsonObject counts = Vectors.index().getAsJsonObject("counts");
    assertEquals(counts.get("vectors").getAsInt(), all.size());
    int single = 0;
    for (Vector vector : all) {
      assertFalse(vector.title.isEmpty() || vector.expect.verdict.isEmpty(), vector.id);
      assertEquals(vector.operation.equals("read"), vector.expectStrict != null, vector.id);
      Map<String, byte[]> files = vector.files();
      assertEquals(vector.size, files.values().stream().mapToLong(one -> one.length).sum(), vector.id);
      if (files.size() == 1 && files.containsKey(vector.input)) {
        single++;
        assertEquals(vector.sha256, Vectors.hex(Vectors.sha256(files.get(vector.input))), vector.id);
      }
    }
    assertTrue(single > 1000);
    int ofOne = counts.getAsJsonObject("by_format").get("leveldb-log").getAsInt();
    assertEquals(ofOne, Vectors.all("leveldb-log").size());
  }

  @Test
  void anAnswer() throws Exception {
    Answer answer = Vectors.load("leveldb-log/first-then-full").expect;
    assertEquals("damaged incomplete-record", answer.verdict + " " + answer.reason);
    assertEquals(12, answer.lost.get(0).from);
    assertEquals(24, answer.lost.get(0).to);
    assertTrue(answer.has(0, "alpha".getBytes()));
    assertFalse(answer.has(1, "bravo".getBytes()));
    assertThrows(FileNotFoundException.class, () -> Vectors.load("leveldb-log/nobody"));
  }
}

package walproof.vectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Tests a small reader of LevelDB logs with the vectors. Copy it, and replace {@code read} with your reader. */
class ExampleTest {
  private static final int BLOCK_BYTES = 32768, HEADER_BYTES = 7, LONGEST_PAYLOAD_IN_FULL_BYTES = 4096;
  private static final int FULL = 1, FIRST = 2, MIDDLE = 3, LAST = 4;

  /** Returns verdict, payloads and lost ranges of a log as text, up to the first damage. */
  private static String read(byte[] log) throws Exception {
    ByteBuffer bytes = ByteBuffer.wrap(log).order(ByteOrder.LITTLE_ENDIAN);
    List<String> payloads = new ArrayList<>();
    ByteArrayOutputStream payload = new ByteArrayOutputStream();
    String verdict = "intact";
    boolean isOpen = false;
    int recordStart = 0;
    for (int at = 0; at < log.length && verdict.equals("intact"); ) {
      int leftInBlock = BLOCK_BYTES - at % BLOCK_BYTES;
      if (leftInBlock < HEADER_BYTES) {
        at += leftInBlock;
        continue;
      }
      if (!isOpen) {
        payload.reset();
        recordStart = at;
      }
      if (log.length - at < HEADER_BYTES) {
        verdict = "torn";
        break;
      }
      int fragment = bytes.get(at + 6);
      int end = at + HEADER_BYTES + Short.toUnsignedInt(bytes.getShort(at + 4));
      boolean fits = isOpen ? fragment == MIDDLE || fragment == LAST : fragment == FULL || fragment == FIRST;
      if (end > at + leftInBlock) {
        verdict = "damaged";
      } else if (end > log.length) {
        verdict = "torn";
      } else if (!fits || maskedCrc32c(log, at + 6, end) != bytes.getInt(at)) {
        verdict = "damaged";
      } else {
        payload.write(log, at + HEADER_BYTES, end - at - HEADER_BYTES);
        isOpen = fragment == FIRST || fragment == MIDDLE;
        if (!isOpen) {
          payloads.add(payloadText(payload.toByteArray()));
        }
      }
      at = end;
    }
    if (verdict.equals("intact") && isOpen) {
      verdict = "torn";
    }
    return verdict + payloads + (verdict.equals("intact") ? "" : " lost " + recordStart + "-" + log.length);
  }

  private static int maskedCrc32c(byte[] log, int from, int to) {
    CRC32C crc = new CRC32C();
    crc.update(log, from, to - from);
    return Integer.rotateRight((int) crc.getValue(), 15) + 0xa282ead8;
  }

  /** Returns a payload as the vectors contain it: in hexadecimal, or the SHA-256 of a long payload. */
  private static String payloadText(byte[] payload) throws Exception {
    boolean isLong = payload.length > LONGEST_PAYLOAD_IN_FULL_BYTES;
    byte[] data = isLong ? MessageDigest.getInstance("SHA-256").digest(payload) : payload;
    return data.length == 0 ? "" : String.format("%0" + 2 * data.length + "x", new BigInteger(1, data));
  }

  /** Returns verdict, payloads and lost ranges of an answer, as {@code read} does. */
  private static String answerText(JsonObject answer) {
    List<String> payloads = new ArrayList<>();
    for (JsonElement element : answer.getAsJsonArray("records")) {
      JsonObject record = element.getAsJsonObject();
      payloads.add(record.get(record.has("payload") ? "payload" : "payload_sha256").getAsString());
    }
    StringBuilder text = new StringBuilder(answer.get("verdict").getAsString() + payloads);
    for (JsonElement gap : answer.getAsJsonArray("lost")) {
      JsonObject range = gap.getAsJsonObject();
      text.append(" lost ").append(range.get("from")).append("-").append(range.get("to"));
    }
    return text.toString();
  }

  @TestFactory
  Stream<DynamicTest> vectors() throws Exception {
    List<String> knownFailures = Files.readAllLines(Path.of("known-failures.txt"));
    return Vectors.all("leveldb-log").stream().filter(vector -> vector.operation.equals("read")).map(vector ->
        DynamicTest.dynamicTest(vector.id, () -> {
          String found = read(vector.files().get(vector.input));
          boolean passes = vector.answers("strict").stream().anyMatch(answer -> answerText(answer).equals(found));
          assertNotEquals(knownFailures.contains(vector.id), passes, vector.id + ": " + found);
        }));
  }

  @Test
  void everyLogHasTheSizeThatItsVectorStates() throws Exception {
    for (Vectors.Vector vector : Vectors.all(null)) {
      int size = vector.files().values().stream().mapToInt(data -> data.length).sum();
      assertEquals(vector.body.get("size").getAsInt(), size, vector.id);
    }
  }
}

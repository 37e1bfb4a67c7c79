package walproof.vectors;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicTest;

/**
 * A test for each vector under JUnit 5. README.md of the package has an example, RUNNERS.md the rules.
 *
 * <pre>{@code @TestFactory Stream<DynamicTest> vectors() throws IOException {
 *   return new VectorTests("leveldb-log", new MyReader()).known(Path.of("known-failures.json")).tests();
 * }}</pre>
 */
public final class VectorTests {
  private static final Map<String, List<String>> PROFILES = Map.of(
      "read", List.of("recover", "strict"), "truncations", List.of("recover"),
      "write", List.of("write"), "append", List.of("append"));

  private final String format;
  private final Subject subject;
  private List<String> reports = List.of("records", "signals");
  private List<String> profiles = List.of("recover");
  private Path known;
  private Predicate<Vector> choose = vector -> true;
  private int patience = 5;
  private Path results;
  private boolean updates = "1".equals(System.getenv("WALPROOF_UPDATE_KNOWN"));

  public VectorTests(String format, Subject subject) {
    this.format = format;
    this.subject = subject;
    String named = System.getenv("WALPROOF_RESULTS");
    results = named == null ? null : Path.of(named);
  }

  /** The parts of an answer that read gives: records and signals if it is not said. */
  public VectorTests reports(String... parts) {
    reports = List.of(parts);
    return this;
  }

  /** Those that are asked of recover, strict, write and append: recover if it is not said. */
  public VectorTests profiles(String... asked) {
    profiles = List.of(asked);
    return this;
  }

  /** A file of known failures; the variable WALPROOF_UPDATE_KNOWN, 1, has it written. */
  public VectorTests known(Path file) {
    known = file;
    return this;
  }

  /** Whether the file of known failures is written; else the variable WALPROOF_UPDATE_KNOWN says so. */
  public VectorTests updates(boolean written) {
    updates = written;
    return this;
  }

  /** Which vectors are asked. */
  public VectorTests choose(Predicate<Vector> chosen) {
    choose = chosen;
    return this;
  }

  /** How many times its time limit a request may take: 5. */
  public VectorTests patience(int times) {
    patience = times;
    return this;
  }

  /** A file for a line of JSON a result; else the variable WALPROOF_RESULTS names one. */
  public VectorTests results(Path file) {
    results = file;
    return this;
  }

  /** The tests. IOException for a list of known failures that does not hold together. */
  public Stream<DynamicTest> tests() throws IOException {
    List<Vector> all = Vectors.all(format);
    if (all.isEmpty()) {
      throw new IOException("no vectors of " + format);
    }
    Known listed = new Known(known, updates);
    List<String> strangers = listed.strangers(format, all.stream().map(one -> one.id).collect(Collectors.toSet()));
    if (listed.updates && !strangers.isEmpty()) {
      listed.forget(strangers);
    } else if (!strangers.isEmpty()) {
      throw new IOException(known + ": no vectors: " + strangers);
    }
    return all.stream().filter(choose).flatMap(vector -> PROFILES.get(vector.operation).stream()
        .filter(profiles::contains)
        .map(profile -> DynamicTest.dynamicTest(vector.id + "/" + profile, () -> check(vector, profile, listed))));
  }

  private void check(Vector vector, String profile, Known listed) throws IOException {
    Case.Outcome outcome = new Case(subject, reports, patience, vector.id, profile).judge();
    if (results != null) {
      JsonObject row = new JsonObject();
      row.addProperty("vector", vector.id);
      row.addProperty("profile", profile);
      row.addProperty("result", outcome.kind);
      row.addProperty("difference", outcome.text);
      Files.writeString(results, row + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
    String[] found = listed.updates
        ? listed.updated(vector.id, profile, outcome.kind, outcome.text)
        : listed.compared(vector.id, profile, outcome.kind, outcome.text);
    String text = (found[0] + ": " + found[1] + "\n" + outcome.text).trim();
    if (found[0].equals("skipped") || found[0].equals("known-failure")) {
      Assumptions.abort(text);
    } else if (!found[0].equals("pass")) {
      Assertions.fail(text + "\n" + vector.title + "\n" + String.join(" ", vector.requirements));
    }
  }
}

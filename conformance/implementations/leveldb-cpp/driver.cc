// Drives LevelDB's own log::Reader and log::Writer (db/log_reader.cc, db/log_writer.cc) for the conformance suite.
//
//   driver                            serves the protocol: JSON lines on stdin and stdout
//   driver read leveldb-log PATH      prints one answer
//   driver bench FILE REPEAT          reads FILE with checksums REPEAT times, prints seconds as JSON
//   driver generate FILE COUNT SIZE   writes COUNT records of SIZE bytes

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench.h"
#include "db/log_reader.h"
#include "db/log_writer.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "simdjson.h"

namespace {

using leveldb::Env;
using leveldb::Slice;
using leveldb::Status;

constexpr std::string_view kFormat = "leveldb-log";

const char kHexDigits[] = "0123456789abcdef";

void AppendHex(const Slice& bytes, std::string* out) {
  for (size_t i = 0; i < bytes.size(); i++) {
    const unsigned char byte = bytes[i];
    out->push_back(kHexDigits[byte >> 4]);
    out->push_back(kHexDigits[byte & 15]);
  }
}

int HexValue(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

bool FromHex(std::string_view hex, std::string* bytes) {
  if (hex.size() % 2 != 0) return false;
  bytes->reserve(hex.size() / 2);
  for (size_t i = 0; i < hex.size(); i += 2) {
    const int high = HexValue(hex[i]), low = HexValue(hex[i + 1]);
    if (high < 0 || low < 0) return false;
    bytes->push_back(static_cast<char>(high << 4 | low));
  }
  return true;
}

// Returns the text as a JSON string. Bytes from 0x80 on stay as they are, because paths come from JSON and are
// therefore UTF-8.
std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const unsigned char c : text) {
    if (c == '"' || c == '\\') out.push_back('\\');
    if (c < 0x20) {
      out += "\\u00";
      AppendHex(Slice(reinterpret_cast<const char*>(&c), 1), &out);
    } else {
      out.push_back(static_cast<char>(c));
    }
  }
  return out + "\"";
}

// Collects reports as DBImpl::RecoverLogFile and VersionSet::Recover do: the first status counts.
class Collector : public leveldb::log::Reader::Reporter {
 public:
  void Corruption(size_t bytes, const Status& reported) override {
    if (status.ok()) status = reported;
    if (reported.IsIOError()) read_error = reported;
    signals.push_back(std::to_string(bytes) + " bytes dropped: " + reported.ToString());
  }

  Status status;
  Status read_error;  // the file could not be read; unrelated to its contents
  std::vector<std::string> signals;
};

// Stores the answer as JSON in *answer. The status is not ok if the file cannot be opened or read. With strict, it
// stops as the loops of RecoverLogFile with paranoid_checks and of VersionSet::Recover do: after a report, neither the
// record that ReadRecord returned after the report nor any later record is used.
Status ReadLog(const std::string& path, bool strict, std::string* answer) {
  leveldb::SequentialFile* opened = nullptr;
  const Status s = Env::Default()->NewSequentialFile(path, &opened);
  if (!s.ok()) return s;
  const std::unique_ptr<leveldb::SequentialFile> file(opened);

  Collector collector;
  leveldb::log::Reader reader(file.get(), &collector, true /*checksum*/, 0 /*initial_offset*/);
  Slice record;
  std::string scratch;
  *answer = "{\"records\":[";
  const size_t empty_size = answer->size();
  while (reader.ReadRecord(&record, &scratch) && (!strict || collector.status.ok())) {
    if (answer->size() > empty_size) answer->push_back(',');
    *answer += "{\"at\":" + std::to_string(reader.LastRecordOffset()) + ",\"payload\":\"";
    AppendHex(record, answer);
    *answer += "\"}";
  }
  *answer += "],\"signals\":[";
  for (size_t i = 0; i < collector.signals.size(); i++) {
    *answer += (i > 0 ? "," : "") + Quoted(collector.signals[i]);
  }
  *answer += "]}";
  return collector.read_error;
}

// Sends the number of durable records to the harness.
using Acknowledge = std::function<void(size_t count)>;

// Adds the records to a new log or, with append, to the log at path as RecoverLogFile re-opens it under
// Options::reuse_logs: at the end of the file, regardless of its contents. With acknowledge, each record is synced, as
// DBImpl::Write does for WriteOptions::sync.
Status WriteLog(const std::string& path, bool append, const std::vector<std::string>& records,
                const Acknowledge& acknowledge) {
  Env* const env = Env::Default();
  leveldb::WritableFile* opened = nullptr;
  uint64_t size = 0;
  Status s = append ? env->GetFileSize(path, &size) : Status::OK();
  if (s.ok()) s = append ? env->NewAppendableFile(path, &opened) : env->NewWritableFile(path, &opened);
  if (!s.ok()) return s;
  const std::unique_ptr<leveldb::WritableFile> file(opened);
  leveldb::log::Writer writer(file.get(), size);
  for (size_t i = 0; i < records.size(); i++) {
    s = writer.AddRecord(records[i]);
    if (s.ok() && acknowledge) s = file->Sync();
    if (!s.ok()) return s;
    if (acknowledge) acknowledge(i + 1);
  }
  return file->Close();
}

std::string Hello() {
  const std::string version = std::to_string(leveldb::kMajorVersion) + "." +
                              std::to_string(leveldb::kMinorVersion) +
                              " (classic-level " CLASSIC_LEVEL_VERSION ")";
  return "{\"name\":\"leveldb-cpp\",\"version\":" + Quoted(version) +
         ",\"language\":\"C++\",\"formats\":[" + Quoted(kFormat) +
         "],\"profiles\":[\"recover\",\"strict\",\"write\",\"append\"],\"reports\":[\"records\",\"at\",\"signals\"]"
         ",\"acknowledges\":true"
         ",\"homepage\":\"https://github.com/google/leveldb\""
         ",\"issues\":\"https://github.com/google/leveldb/issues\"}";
}

// Returns the reply to a read, write or append, without its leading "seq".
std::string Outcome(std::string_view command, const simdjson::dom::element& request) {
  const auto skipped = [](const std::string& why) { return "\"skipped\":" + Quoted(why); };
  if (std::string_view(request["format"]) != kFormat) return skipped("only leveldb-log is read and written here");
  const std::string path{std::string_view(request["path"])};

  if (command == "read") {
    std::string_view profile = "recover";
    if (request["profile"].get(profile) == simdjson::INCORRECT_TYPE) return skipped("profile is not a string");
    if (profile != "recover" && profile != "strict") return skipped("no such profile: " + std::string(profile));
    std::string answer;
    const Status s = ReadLog(path, profile == "strict", &answer);
    return s.ok() ? "\"answer\":" + answer : skipped("cannot open or read: " + s.ToString());
  }

  std::vector<std::string> records;
  for (const simdjson::dom::element record : request["records"].get_array()) {
    std::string& bytes = records.emplace_back();
    std::string_view hex;
    if (record["payload"].get(hex) != simdjson::SUCCESS || !FromHex(hex, &bytes)) {
      return skipped("record " + std::to_string(records.size()) + " has no payload in hex");
    }
  }
  Acknowledge acknowledge;
  bool asked = false;
  if (request["acknowledge"].get(asked) == simdjson::SUCCESS && asked) {
    // The parser owns the request, so it must not read another line before the reply.
    const std::string seq = simdjson::minify(simdjson::dom::element(request["seq"]));
    acknowledge = [seq](size_t count) {
      std::cout << "{\"seq\":" << seq << ",\"acknowledged\":" << count << '}' << std::endl;
      std::string go_on;
      std::getline(std::cin, go_on);
    };
  }
  const Status s = WriteLog(path, command == "append", records, acknowledge);
  return s.ok() ? "\"done\":true" : skipped("cannot open or write: " + s.ToString());
}

int Serve() {
  std::ios::sync_with_stdio(false);
  simdjson::dom::parser parser;
  std::string line;
  while (std::getline(std::cin, line)) {
    try {
      const simdjson::dom::element request = parser.parse(line);
      const std::string_view command = request["cmd"];
      if (command == "bye") return 0;
      if (command == "hello") {
        std::cout << Hello() << std::endl;
        continue;
      }
      const bool known = command == "read" || command == "write" || command == "append";
      const std::string seq = simdjson::minify(simdjson::dom::element(request["seq"]));
      const std::string outcome = known ? Outcome(command, request) : "\"skipped\":\"no such command\"";
      std::cout << "{\"seq\":" << seq << ',' << outcome << '}' << std::endl;
    } catch (const simdjson::simdjson_error& error) {
      std::cerr << "not a message of the protocol: " << error.what() << std::endl;
      return 2;
    }
  }
  return 0;
}

int ReadOnce(const std::string& path) {
  std::string answer;
  const Status s = ReadLog(path, false, &answer);
  if (s.ok()) std::cout << answer << std::endl;
  else std::cerr << s.ToString() << std::endl;
  return s.ok() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.empty()) return Serve();
  if (args.size() == 3 && args[0] == "read" && args[1] == kFormat) return ReadOnce(args[2]);
  if (args.size() == 3 && args[0] == "bench") return Bench(args[1], std::max(1, atoi(args[2].c_str())));
  if (args.size() == 4 && args[0] == "generate") {
    return Generate(args[1], strtoull(args[2].c_str(), nullptr, 10), strtoull(args[3].c_str(), nullptr, 10));
  }
  std::cerr << "usage: driver [read leveldb-log PATH | bench FILE REPEAT | generate FILE COUNT SIZE]" << std::endl;
  return 1;
}

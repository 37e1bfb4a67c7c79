// A C interface, for adapter.py, to log::Reader and log::Writer of the RocksDB library that it is linked with.

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <unordered_map>

#include "db/log_reader.h"
#include "db/log_writer.h"
#include "file/sequence_file_reader.h"
#include "file/writable_file_writer.h"
#include "rocksdb/file_system.h"
#include "rocksdb/version.h"

namespace {

using namespace rocksdb;

using OnRecord = void (*)(const char* payload, size_t size);
using OnReport = void (*)(const char* text);

// Acts as DBOpenLogRecordReadReporter (db/db_impl/db_impl_open.cc): the first report is the status of the replay,
// except in kSkipAnyCorruptedRecords. OldLogRecord reports no damage, so it is not a signal.
class Reporter : public log::Reader::Reporter {
 public:
  Reporter(Status* status, OnReport on_report) : status_(status), on_report_(on_report) {}

  void Corruption(size_t bytes, const Status& reported, uint64_t /*log_number*/) override {
    if (status_ != nullptr && status_->ok()) *status_ = reported;
    on_report_(("dropping " + std::to_string(bytes) + " bytes; " + reported.ToString()).c_str());
  }

 private:
  Status* const status_;
  const OnReport on_report_;
};

// The loop of DBImpl::ProcessLogFile (db/db_impl/db_impl_open.cc), without the decoding of write batches.
template <typename Function>
bool ReadLog(const char* path, uint64_t log_number, int recovery_mode, Function on_record, OnReport on_report) {
  std::unique_ptr<FSSequentialFile> file;
  if (!FileSystem::Default()->NewSequentialFile(path, FileOptions(), &file, nullptr).ok()) return false;

  const auto mode = static_cast<WALRecoveryMode>(recovery_mode);
  Status status;
  Reporter reporter(mode == WALRecoveryMode::kSkipAnyCorruptedRecords ? nullptr : &status, on_report);
  log::Reader reader(nullptr /*info_log*/, std::make_unique<SequentialFileReader>(std::move(file), path), &reporter,
                     true /*checksum*/, log_number);
  Slice record;
  std::string scratch;
  uint64_t record_checksum = 0;
  while (reader.ReadRecord(&record, &scratch, mode, &record_checksum) && status.ok()) {
    on_record(record.data(), record.size());
  }
  return true;
}

}  // namespace

extern "C" {

// Writes the version of the library to text, which has room for size bytes.
void library_version(char* text, size_t size) { snprintf(text, size, "%s", GetRocksVersionAsString(true).c_str()); }

// Reads a log as DBImpl::ProcessLogFile does. Returns whether the file could be opened.
bool read_log(const char* path, uint64_t log_number, int recovery_mode, OnRecord on_record, OnReport on_report) {
  return ReadLog(path, log_number, recovery_mode, on_record, on_report);
}

// Reads a log as read_log does, and counts its records and the bytes of their payloads.
bool count_records(const char* path, uint64_t log_number, int recovery_mode, uint64_t* records,
                   uint64_t* payload_bytes) {
  *records = *payload_bytes = 0;
  const auto count = [&](const char*, size_t size) { ++*records, *payload_bytes += size; };
  return ReadLog(path, log_number, recovery_mode, count, [](const char*) {});
}

// Creates a log as DBImpl::CreateWAL does (db/db_impl/db_impl_open.cc). Returns null on failure.
log::Writer* create_log(const char* path, uint64_t log_number, bool recyclable, bool zstd) {
  std::unique_ptr<FSWritableFile> file;
  if (!FileSystem::Default()->NewWritableFile(path, FileOptions(), &file, nullptr).ok()) return nullptr;
  auto writer = std::make_unique<log::Writer>(
      std::make_unique<WritableFileWriter>(std::move(file), path, FileOptions()), log_number, recyclable,
      false /*manual_flush*/, zstd ? kZSTD : kNoCompression, true /*track_and_verify_wals*/);
  return writer->AddCompressionTypeRecord(WriteOptions()).ok() ? writer.release() : nullptr;
}

bool add_timestamp_sizes(log::Writer* writer, size_t count, const uint32_t* families, const size_t* sizes) {
  UnorderedMap<uint32_t, size_t> size_of;
  for (size_t i = 0; i < count; i++) size_of[families[i]] = sizes[i];
  return writer->MaybeAddUserDefinedTimestampSizeRecord(WriteOptions(), size_of).ok();
}

bool add_predecessor(log::Writer* writer, uint64_t log_number, uint64_t size, uint64_t last_sequence) {
  return writer->MaybeAddPredecessorWALInfo(WriteOptions(), PredecessorWALInfo(log_number, size, last_sequence)).ok();
}

// Adds a record, durably if sync is set, as DBImpl::WriteToWAL does (db/db_impl/db_impl_write.cc).
bool add_record(log::Writer* writer, const char* payload, size_t size, bool sync) {
  return writer->AddRecord(WriteOptions(), Slice(payload, size)).ok() &&
         (!sync || writer->file()->Sync(IOOptions(), false /*use_fsync*/).ok());
}

bool close_log(log::Writer* writer) {
  const bool closed = writer->Close(WriteOptions()).ok();
  delete writer;
  return closed;
}
}

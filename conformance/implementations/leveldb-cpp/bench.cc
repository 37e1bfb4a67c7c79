#include "bench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <vector>

#include "db/log_reader.h"
#include "db/log_writer.h"
#include "leveldb/env.h"

using leveldb::Env;
using leveldb::Slice;
using leveldb::Status;

int Bench(const std::string& path, int repeat) {
  std::vector<double> seconds;
  uint64_t records = 0, payload_bytes = 0;
  for (int i = 0; i < repeat; i++) {
    const auto start = std::chrono::steady_clock::now();
    records = payload_bytes = 0;
    leveldb::SequentialFile* opened = nullptr;
    const Status s = Env::Default()->NewSequentialFile(path, &opened);
    if (!s.ok()) {
      std::cerr << s.ToString() << std::endl;
      return 1;
    }
    const std::unique_ptr<leveldb::SequentialFile> file(opened);
    leveldb::log::Reader reader(file.get(), nullptr, true /*checksum*/, 0 /*initial_offset*/);
    Slice record;
    std::string scratch;
    while (reader.ReadRecord(&record, &scratch)) {
      records++;
      payload_bytes += record.size();
    }
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  printf("{\"records\":%llu,\"payload_bytes\":%llu,\"seconds\":%.6f,\"all_seconds\":[",
         static_cast<unsigned long long>(records), static_cast<unsigned long long>(payload_bytes),
         *std::min_element(seconds.begin(), seconds.end()));
  for (size_t i = 0; i < seconds.size(); i++) printf("%s%.6f", i > 0 ? "," : "", seconds[i]);
  printf("]}\n");
  return 0;
}

// The contents of all records are one continuous 64-bit linear congruential sequence.
int Generate(const std::string& path, uint64_t count, size_t size) {
  leveldb::WritableFile* opened = nullptr;
  Status s = Env::Default()->NewWritableFile(path, &opened);
  const std::unique_ptr<leveldb::WritableFile> file(opened);
  if (s.ok()) {
    leveldb::log::Writer writer(file.get());
    std::string record(size, '\0');
    uint64_t state = 1;
    for (uint64_t i = 0; i < count && s.ok(); i++) {
      for (char& byte : record) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        byte = static_cast<char>(state >> 56);
      }
      s = writer.AddRecord(record);
    }
    if (s.ok()) s = file->Close();
  }
  if (!s.ok()) std::cerr << s.ToString() << std::endl;
  return s.ok() ? 0 : 1;
}

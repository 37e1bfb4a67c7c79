#include <leveldb/db.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

int main() {
  const std::string folder = "db";
  std::filesystem::remove_all(folder);
  leveldb::Options options;
  options.create_if_missing = true;
  leveldb::DB* db = nullptr;
  leveldb::WriteOptions sync;
  sync.sync = true;
  if (!leveldb::DB::Open(options, folder, &db).ok()) return 2;
  for (int n = 0; n < 4; n++) {
    db->Put(sync, "key" + std::to_string(n), "value" + std::to_string(n));
  }
  delete db;

  const std::string log = folder + "/000003.log";
  std::ifstream in(log, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  in.close();
  bytes[bytes.find("value1")] ^= 0x20;  // one bit: "value1" becomes "Value1"
  std::ofstream(log, std::ios::binary) << bytes;

  leveldb::Status status = leveldb::RepairDB(folder, options);
  std::cout << "RepairDB: " << status.ToString() << "\n";
  options.paranoid_checks = true;
  if (!leveldb::DB::Open(options, folder, &db).ok()) return 2;
  leveldb::ReadOptions verify;
  verify.verify_checksums = true;
  std::string value;
  status = db->Get(verify, "key1", &value);
  std::cout << "key1: " << (status.ok() ? value : status.ToString()) << "\n";
  delete db;
  return value == "Value1" ? 1 : 0;
}

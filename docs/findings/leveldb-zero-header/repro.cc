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
  const size_t second = 7 + static_cast<unsigned char>(bytes[4]);  // offset of the second record
  bytes.replace(second, 7, 7, '\0');  // its header
  std::ofstream(log, std::ios::binary) << bytes;

  options.paranoid_checks = true;
  leveldb::Status status = leveldb::DB::Open(options, folder, &db);
  std::cout << "Open: " << status.ToString() << "\n";
  if (!status.ok()) return 0;
  int missing = 0;
  for (int n = 0; n < 4; n++) {
    const std::string key = "key" + std::to_string(n);
    std::string value;
    status = db->Get(leveldb::ReadOptions(), key, &value);
    if (!status.ok()) value = status.IsNotFound() ? "not found" : status.ToString();
    std::cout << key << ": " << value << "\n";
    missing += status.IsNotFound();
  }
  delete db;
  return missing ? 1 : 0;
}

// The modes of the driver that measure LevelDB's reader. Both return the exit status.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

// Reads the log with checksums `repeat` times and opens the file each time; prints
// {"records":n,"payload_bytes":n,"seconds":best,"all_seconds":[...]} on stdout.
int Bench(const std::string& path, int repeat);

// Writes a new log of `count` records of `size` bytes each, always with the same content.
int Generate(const std::string& path, uint64_t count, size_t size);

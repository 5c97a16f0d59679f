// Memory of the kernel that is reused from call to call: the system needs more time for
// new pages than the computation in them.
#pragma once

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

namespace memnets {

// Arrays of all threads. Those that are not in use are kept, by size, as long as all take
// no more than those that were in use at the same time, and LIMIT. Those that were not
// used for the longest time are deleted first.
class Storage {
 public:
  struct Array {
    float* data;
    size_t capacity;  // floats
  };

  Array take(size_t size) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto found = free_.lower_bound(size);
      if (found != free_.end() && found->first <= 2 * size) {
        const Array array{found->second.data, found->first};
        free_.erase(found);
        kept_ -= array.capacity;
        use(array.capacity);
        return array;
      }
    }
    const Array array{static_cast<float*>(::operator new(size * sizeof(float), ALIGNMENT)),
                      size};
    use_huge_pages(array);
    const std::lock_guard<std::mutex> lock(mutex_);
    use(size);
    return array;
  }

  void give_back(Array array) {
    const std::lock_guard<std::mutex> lock(mutex_);
    in_use_ -= array.capacity;
    free_.emplace(array.capacity, Free{array.data, ++uses_});
    kept_ += array.capacity;
    while (kept_ + in_use_ > most_in_use_ + LIMIT) delete_oldest();
  }

  static Storage& shared() {
    // Never destroyed: threads of the framework may outlive static objects.
    static Storage* storage = new Storage;
    return *storage;
  }

 private:
  static constexpr std::align_val_t ALIGNMENT{64};   // cache lines
  static constexpr size_t LIMIT = size_t{16} << 20;  // floats, 64 MB; heuristic

  struct Free {
    float* data;
    uint64_t last_use;
  };

  void delete_oldest() {
    const auto oldest = std::min_element(free_.begin(), free_.end(), [](auto& a, auto& b) {
      return a.second.last_use < b.second.last_use;
    });
    ::operator delete(oldest->second.data, ALIGNMENT);
    kept_ -= oldest->first;
    free_.erase(oldest);
  }

  void use(size_t size) {
    in_use_ += size;
    most_in_use_ = std::max(most_in_use_, in_use_);
  }

  // Each page costs a fault when it is first written, and a huge one stands for 512.
  static void use_huge_pages([[maybe_unused]] Array array) {
#if defined(MADV_HUGEPAGE)
    constexpr uintptr_t PAGE = 4096;           // elsewhere the system may refuse the call
    constexpr size_t LEAST = size_t{1} << 20;  // floats: two huge pages
    if (array.capacity < LEAST) return;
    const auto up = [](const float* at) {
      return (reinterpret_cast<uintptr_t>(at) + PAGE - 1) / PAGE * PAGE;
    };
    const uintptr_t first = up(array.data), last = up(array.data + array.capacity) - PAGE;
    madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
  }

  std::mutex mutex_;
  std::multimap<size_t, Free> free_;
  size_t kept_ = 0, in_use_ = 0, most_in_use_ = 0;  // floats
  uint64_t uses_ = 0;
};

// An array of floats from this pool, not initialised.
class Floats {
 public:
  explicit Floats(size_t size)
      : size_(std::max<size_t>(size, 1)), array_(Storage::shared().take(size_)) {}
  ~Floats() {
    if (array_.data) Storage::shared().give_back(array_);
  }
  Floats(const Floats&) = delete;
  Floats& operator=(const Floats&) = delete;
  Floats(Floats&& other) noexcept : size_(other.size_), array_(other.array_) {
    other.array_.data = nullptr;
  }
  float* get() const { return array_.data; }
  size_t size() const { return size_; }

 private:
  size_t size_;
  Storage::Array array_;
};

// What forward passes keep for backward passes, by ticket. A framework would return
// arrays of this size to the system after each step. It does not say which of them no
// backward pass will ask for: the oldest are dropped, and computed again if one does.
class Histories {
 public:
  int64_t keep(Floats history) {
    const std::lock_guard<std::mutex> lock(mutex_);
    size_ += history.size();
    histories_.emplace(++last_, std::move(history));
    while (size_ > LIMIT && histories_.size() > 1) drop(histories_.begin());
    return last_;
  }

  // The history of a ticket, which is then no longer kept; none if it was dropped, or
  // asked for before.
  std::optional<Floats> take(int64_t ticket) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = histories_.find(ticket);
    if (found == histories_.end()) return std::nullopt;
    std::optional<Floats> history(std::move(found->second));
    size_ -= history->size();
    histories_.erase(found);
    return history;
  }

  static Histories& shared() {
    static Histories* histories = new Histories;  // never destroyed, as Storage
    return *histories;
  }

 private:
  static constexpr size_t LIMIT = size_t{128} << 20;  // floats, 512 MB; heuristic

  void drop(std::map<int64_t, Floats>::iterator at) {
    size_ -= at->second.size();
    histories_.erase(at);
  }

  std::mutex mutex_;
  std::map<int64_t, Floats> histories_;
  size_t size_ = 0;
  int64_t last_ = 0;
};

}  // namespace memnets

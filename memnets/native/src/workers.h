// Threads that are reused from call to call. A new thread may start milliseconds late,
// as long as the call itself takes: the system finds a free core sooner for a thread that
// wakes up. A program whose threads wait busily on their cores lends them: others would
// find no core.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>

namespace memnets {

class Workers {
 public:
  // Calls `work` on this thread and on up to `helpers` others, and returns when all of
  // these calls have returned. A helper that has not started when this thread is done
  // does not start any more. `work` must not throw.
  void run(int helpers, const std::function<void()>& work) {
    if (helpers < 1) return work();
    if (const Team team = team_) {
      const auto call = [](void* data) { (*static_cast<std::function<void()>*>(data))(); };
      return team(call, const_cast<std::function<void()>*>(&work), helpers + 1, 0);
    }
    Job job{&work, helpers, 0};
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      grow(helpers);
      jobs_.push_back(&job);
    }
    for (int i = 0; i < helpers; ++i) wake_.notify_one();
    work();
    std::unique_lock<std::mutex> lock(mutex_);
    jobs_.remove(&job);
    done_.wait(lock, [&] { return job.running == 0; });
  }

  // Runs a function on that many threads of the program: GOMP_parallel of OpenMP.
  using Team = void (*)(void (*function)(void*), void* data, unsigned threads, unsigned);

  // From now on `run` takes the threads of the program. Null: its own again.
  void lend(Team team) { team_ = team; }

  // The threads of this process: a forked process has none of its parent's threads.
  static Workers& shared() {
    static std::mutex mutex;
    static Workers* workers = nullptr;  // never destroyed: its threads wait to the end
    static pid_t owner = 0;
    const std::lock_guard<std::mutex> lock(mutex);
    if (owner != getpid()) workers = new Workers, owner = getpid();
    return *workers;
  }

 private:
  struct Job {
    const std::function<void()>* work;
    int wanted, running;
  };

  void grow(int count) {
    try {
      for (; threads_ < count; ++threads_) std::thread([this] { serve(); }).detach();
    } catch (const std::system_error&) {
      // No more threads to be had: those that are there do the work.
    }
  }

  void serve() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      wake_.wait(lock, [&] { return !jobs_.empty(); });
      Job* job = jobs_.front();
      if (--job->wanted == 0) jobs_.pop_front();
      ++job->running;
      lock.unlock();
      (*job->work)();
      lock.lock();
      if (--job->running == 0) done_.notify_all();
    }
  }

  std::atomic<Team> team_{nullptr};
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::list<Job*> jobs_;  // that want another thread
  int threads_ = 0;
};

}  // namespace memnets

// Values and calls that the systems declare in different ways.

internal import WeirLibC

/// The number of the current thread, unique among running threads, never 0.
var currentThread: UInt {
  #if canImport(Darwin)
    UInt(bitPattern: pthread_self())
  #else
    UInt(pthread_self())
  #endif
}

/// Advice to the kernel about a new large array, which has no pages yet: the first write to each
/// traps into the kernel, where threads wait for each other; 80 MB are 20,000 traps.
@usableFromInline
enum LargeMemory {
  /// Requests huge pages, if the system lets programs choose. All pages will be written, so
  /// they take no more memory.
  @usableFromInline
  static func expect<T>(_ memory: UnsafeMutablePointer<T>, _ count: Int) {
    #if os(Linux)
      let huge: UInt = 2 << 20
      let begin = (UInt(bitPattern: memory) + huge - 1) / huge * huge
      let end = UInt(bitPattern: memory + count) / huge * huge
      // The call fails if there are none, which changes nothing.
      if begin < end {
        madvise(UnsafeMutableRawPointer(bitPattern: begin), Int(end - begin), MADV_HUGEPAGE)
      }
    #endif
  }
}

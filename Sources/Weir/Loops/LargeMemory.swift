// Memory that is about to be written from one end to the other.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A large array that is new has no pages yet. Every first write to one is a
/// trap into the kernel, and for short work on many elements these take longer
/// than the work: 80 MB are 20,000 traps, in which threads wait for each other.
@usableFromInline
enum LargeMemory {
  /// Has the kernel use huge pages, where the system leaves that to programs: all
  /// of them will be written anyway, so they take no more memory.
  @usableFromInline
  static func expect<T>(_ memory: UnsafeMutablePointer<T>, _ count: Int) {
    #if os(Linux)
      let huge: UInt = 2 << 20
      let begin = (UInt(bitPattern: memory) + huge - 1) / huge * huge
      let end = UInt(bitPattern: memory + count) / huge * huge
      // Refused where there are none; then it is as it was.
      if begin < end {
        madvise(UnsafeMutableRawPointer(bitPattern: begin), Int(end - begin), MADV_HUGEPAGE)
      }
    #endif
  }
}

internal import Glibc

/// Memory that ends where the address space has a hole: who reads beyond its end ends the
/// process with SIGSEGV.
public final class GuardedMemory {
  public let bytes: UnsafeMutableRawBufferPointer
  private let pages: UnsafeMutableRawBufferPointer

  /// - Parameter byteCount: The number of bytes before the hole.
  public init(byteCount: Int) {
    let page = Int(getpagesize())
    let length = (byteCount + page - 1) / page * page
    let base = mmap(nil, length + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)!
    precondition(base != MAP_FAILED && mprotect(base + length, page, PROT_NONE) == 0)
    pages = .init(start: base, count: length + page)
    bytes = .init(start: base + length - byteCount, count: byteCount)
  }

  deinit { munmap(pages.baseAddress, pages.count) }
}

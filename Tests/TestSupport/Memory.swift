// What this process has allocated.

internal import CTestSupport

/// How many bytes of the heap are in use; 0 under a sanitizer.
public func bytesInUse() -> Int {
  test_bytes_in_use()
}

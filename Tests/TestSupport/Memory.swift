internal import CTestSupport

/// The number of heap bytes in use; 0 with a sanitizer.
public func bytesInUse() -> Int {
  test_bytes_in_use()
}

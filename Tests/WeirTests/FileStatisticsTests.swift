// The statistics of a run of the file processor in Swift, which have the numbers of C.

import CWeir
import Testing

@testable import Weir

@Suite("FileStatistics")
struct FileStatisticsTests {
  @Test("has each number of C once")
  func numbers() {
    var c = weir_files_stats_t()
    withUnsafeMutableBytes(of: &c) { bytes in
      for offset in stride(from: 0, to: bytes.count, by: 8) {
        bytes.storeBytes(of: UInt64(offset + 8), toByteOffset: offset, as: UInt64.self)
      }
    }
    let totals = Mirror(reflecting: FileStatistics(c)).children.compactMap { $0.value as? UInt64 }
    #expect(totals.count == 21)
    #expect(!totals.contains(0) && Set(totals).count == totals.count, "\(totals)")
  }
}

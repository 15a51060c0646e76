// A recorder, with what it writes read strictly, and made-up events for it.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

final class Recorder: @unchecked Sendable {
  let raw: weir_trace_recorder_t

  init(_ events: Int = 0) { raw = weir_trace_recorder_create(events)! }
  deinit { weir_trace_recorder_release(raw) }

  func start() -> Int32 { weir_trace_recorder_start(raw) }
  func stop() { weir_trace_recorder_stop(raw) }

  var stats: weir_trace_recorder_stats_t {
    var stats = weir_trace_recorder_stats_t()
    weir_trace_recorder_stats(raw, &stats, MemoryLayout.size(ofValue: stats))
    return stats
  }

  func write(_ format: weir_trace_format_t, to descriptor: Int32) -> Int32 {
    weir_trace_recorder_write(raw, descriptor, format)
  }

  func bytes(_ format: weir_trace_format_t) -> [UInt8] {
    let file = tmpfile()!
    defer { fclose(file) }
    #expect(write(format, to: fileno(file)) == 0)
    var bytes: [UInt8] = [], piece = [UInt8](repeating: 0, count: 65536)
    rewind(file)
    while case let got = fread(&piece, 1, piece.count, file), got > 0 { bytes += piece.prefix(got) }
    return bytes
  }

  func text(_ format: weir_trace_format_t) -> String {
    String(decoding: bytes(format), as: UTF8.self)
  }

  /// Each line read strictly.
  var lines: [Json] {
    bytes(WEIR_TRACE_JSON_LINES).split(separator: 0x0A).compactMap { line in
      let json = try? Json(line)
      #expect(json != nil, "\(String(decoding: line, as: UTF8.self))")
      return json
    }
  }

  var events: [Json] {
    let bytes = bytes(WEIR_TRACE_EVENT_JSON)
    let json = try? Json(bytes)
    #expect(json?["displayTimeUnit"]?.string == "ms", "\(String(decoding: bytes, as: UTF8.self))")
    return json?["traceEvents"]?.array ?? []
  }
}

func inAThread(_ body: @escaping @Sendable () -> Void) {
  #expect(Crew(1) { _ in body() }.wait())
}

struct Telling {
  let time: UInt64
  let kind: weir_trace_kind_t
  let serial: UInt64
  let label: String
  let job: UInt64
  let count: Int
  let lane: Int

  init(
    _ time: UInt64, _ kind: weir_trace_kind_t, _ serial: UInt64, _ label: String, _ job: UInt64,
    _ count: Int, lane: Int = 0
  ) {
    (self.time, self.kind, self.serial) = (time, kind, serial)
    (self.label, self.job, self.count, self.lane) = (label, job, count, lane)
  }
}

/// Reports a made-up event to the recorder.
func tell(_ it: Telling) {
  it.label.withCString { label in
    var event = weir_trace_event_t(
      kind: it.kind, object: nil, label: label, job: it.job, lane: it.lane, count: it.count,
      nanoseconds: it.time, serial: it.serial, caller: nil)
    weir_trace_emit(&event)
  }
}

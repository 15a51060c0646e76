// A line of the recorder: a JSON object, of which an event has some members.

internal import FoundationEssentials

/// The members of a line that an event has. Others are ignored.
struct TraceLine: Decodable {
  /// Counts of lanes or of a gate, from the event on.
  private struct Counts: Decodable {
    var queued: UInt64?
    var running: UInt64?
    var waiting: UInt64?
  }

  private let t: UInt64
  private let ev: String
  private let thr: UInt64
  private let q: String?
  private let obj, task, lane, v: UInt64?
  private let woken: Bool?
  private let jobs, sem: Counts?

  /// Reads an event from the bytes of a line. Bytes that are not UTF-8 become U+FFFD.
  ///
  /// - Returns: `nil` if the line is empty or the kind of the event is unknown.
  /// - Throws: A phrase for the reason why the line cannot be read.
  static func event(
    _ line: ArraySlice<UInt8>, _ decoder: JSONDecoder
  ) throws(Failure) -> TraceLog.Event? {
    let text = String(decoding: line, as: UTF8.self)
    if text.allSatisfy(\.isWhitespace) { return nil }
    do {
      return try decoder.decode(TraceLine.self, from: Data(text.utf8)).event
    } catch DecodingError.keyNotFound(let member, _) {
      throw Failure(reason: "the member \"\(member.stringValue)\" is missing")
    } catch DecodingError.typeMismatch(_, let place) where !place.codingPath.isEmpty {
      throw Failure(reason: "\"\(place.codingPath[0].stringValue)\" has a wrong value")
    } catch {
      throw Failure(reason: "it is no JSON object with whole numbers from 0 to 2^64 - 1")
    }
  }

  struct Failure: Error {
    let reason: String
  }

  private var event: TraceLog.Event? {
    guard let kind = TraceLog.Kind(rawValue: ev) else { return nil }
    return TraceLog.Event(
      time: t, kind: kind, thread: count(thr) ?? 0, label: q ?? "", object: count(obj),
      task: count(task), lane: count(lane), value: count(v) ?? 0, woken: woken,
      queued: count(jobs?.queued), running: count(jobs?.running),
      waiting: count(sem?.waiting ?? jobs?.waiting))
  }

  /// Returns a number. One above 2^40, such as SIZE_MAX, becomes 2^40, so that sums fit.
  private func count(_ number: UInt64?) -> Int? { number.map { Int(min($0, 1 << 40)) } }
}

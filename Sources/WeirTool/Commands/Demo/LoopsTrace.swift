// The blocks of a loop as Trace Event JSON, for ui.perfetto.dev: each form of the
// loop is a process there, with its threads below it.

internal import SystemPackage

enum LoopsTrace {
  static func json(_ runs: [LoopsRun]) -> [UInt8] {
    var text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":["
    var separator = "\n"
    func append(_ event: String) {
      text += separator + event
      separator = ",\n"
    }
    for (index, run) in runs.enumerated() {
      let process = index + 1
      append(name("process_name", run.form.name, process))
      for share in run.shares {
        let caller = share.thread == 1 ? ", which called" : ""
        append(name("thread_name", "thread \(share.thread)\(caller)", process, share.thread))
      }
      for block in run.trace { append(event(block, process)) }
    }
    return Array((text + "\n]}\n").utf8)
  }

  private static func name(
    _ kind: String, _ name: String, _ process: Int, _ thread: Int = 0
  ) -> String {
    "{\"ph\":\"M\",\"name\":\"\(kind)\",\"pid\":\(process),\"tid\":\(thread),"
      + "\"args\":{\"name\":\"\(name)\"}}"
  }

  private static func event(_ block: LoopsRun.Block, _ process: Int) -> String {
    let (first, last) = (block.range.lowerBound, block.range.upperBound - 1)
    let name = first == last ? "\(first)" : "\(first) to \(last)"
    return "{\"ph\":\"X\",\"name\":\"\(name)\",\"pid\":\(process),\"tid\":\(block.thread),"
      + "\"ts\":\(microseconds(block.begin)),\"dur\":\(microseconds(block.end - block.begin))}"
  }

  private static func microseconds(_ nanoseconds: UInt64) -> String {
    Quantities.fixed(Double(nanoseconds) / 1000, digits: 3)
  }
}

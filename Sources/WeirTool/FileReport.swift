// What is said about files that could not be read, and about the whole.

#if Tool
  internal import SystemPackage
  internal import Weir

  /// Words for results that are not plain success.
  struct FileReport: Sendable {
    let console: Console
    /// The verb, for what to type instead.
    let verb: String

    /// Says what there is to say of one file.
    func tell(_ result: FileResult) {
      switch result.outcome {
      case .done:
        break
      case .failed(let error):
        say(result, "\(error)")
      case .special where result.isNamed:
        say(result, "is \(kind(result.type))", then: advice(result))
      case .special:
        say(result, "skipped: is \(kind(result.type))")
      }
    }

    private func say(_ result: FileResult, _ reason: String, then advice: [UInt8] = []) {
      console.say(QuotedName.bytes(of: result.path) + Array(": \(reason)".utf8) + advice)
    }

    /// What to type instead: a socket cannot be opened by anybody.
    private func advice(_ result: FileResult) -> [UInt8] {
      if result.type == .socket { return [] }
      return Array("; to read it, say: weir \(verb) - < ".utf8)
        + QuotedName.bytes(of: result.path)
    }

    private func kind(_ type: EntryType) -> String {
      switch type {
      case .fifo: "a FIFO"
      case .socket: "a socket"
      case .characterDevice: "a character device"
      case .blockDevice: "a block device"
      default: "neither a file nor a directory"
      }
    }

    /// The counts by kind, which are the same for every run.
    static func counts(_ figures: FileFigures) -> String {
      var parts = ["\(Figures.count(figures.files, "file", "files")) read"]
      if figures.failed > 0 {
        parts.append("\(Figures.count(figures.failed)) could not be read")
      }
      if figures.special > 0 {
        parts.append(
          "\(Figures.count(figures.special, "special file", "special files")) not opened")
      }
      if figures.links > 0 {
        parts.append(
          "\(Figures.count(figures.links, "symbolic link", "symbolic links")) passed over")
      }
      if figures.excluded > 0 {
        parts.append("the output passed over")
      }
      return parts.joined(separator: ", ")
    }

    /// What was done and how fast.
    static func summary(_ figures: FileFigures, seconds: Double) -> String {
      let time = max(seconds, 0.000_001)
      return """
        \(counts(figures)); \(Figures.bytes(Double(figures.bytes))) in \(Figures.seconds(seconds)) \
        (\(Figures.bytes(Double(figures.bytes) / time))/s, \
        \(Figures.count(Int(Double(figures.files) / time))) files/s); \
        \(Figures.count(figures.lanesPeak)) of \(Figures.count(figures.lanes, "lane", "lanes")), \
        \(Figures.count(figures.descriptorsPeak, "descriptor", "descriptors")) at most
        """
    }
  }
#endif

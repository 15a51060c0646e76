internal import CFileKernels
internal import SystemPackage
internal import Weir

/// A feed of the invocations of a command, and of what the sources have beside items.
///
/// @unchecked Sendable: the processor calls it from one thread at a time.
final class CommandFeed: @unchecked Sendable {
  /// Changes the statistics of the run, which its owner has.
  private let count: ((inout CommandStatistics) -> Void) -> Void

  private var items: any CommandItemIterator
  private let template: CommandTemplate
  private let options: CommandJobOptions
  private var next: CommandElement?
  private var number: UInt64 = 0

  /// The largest size of the arguments of one command. xargs has the same limit, and
  /// arguments that wait for a lane are in memory.
  private static let argumentsMax = 131_072
  /// The room for the arguments that items add.
  private let room: Int

  init(
    _ items: any CommandItemIterator, _ template: CommandTemplate, _ options: CommandJobOptions,
    count: @escaping ((inout CommandStatistics) -> Void) -> Void
  ) {
    self.count = count
    self.items = items
    self.template = template
    self.options = options
    let room = min(Int(clamping: kernel_argument_room()), CommandFeed.argumentsMax)
    self.room = room - template.cost(of: nil)
  }

  /// An element of the feed.
  enum Element {
    case invocation(CommandInvocation)
    case event(CommandEvent)
    /// The next element may take a while.
    case pause
  }

  func nextInvocation() -> Element? {
    while true {
      guard let element = nextElement() else { return nil }
      switch element {
      case .pause: return .pause
      case .failure(let path, let error): return .event(.unreadable(path, error.rawValue))
      case .special(let path, let type): return .event(.special(path, type))
      case .item(let item):
        let invocation = invocation(from: item)
        if isWanted(invocation) { return .invocation(invocation) }
      }
    }
  }

  private func nextElement() -> CommandElement? {
    defer { next = nil }
    return next ?? readElement()
  }

  private func readElement() -> CommandElement? {
    let element = items.next()
    let (links, filtered, excluded) = (items.links, items.filtered, items.excluded)
    count { statistics in
      statistics.links = links
      statistics.filtered = filtered
      statistics.excluded = excluded
      switch element {
      case .item: statistics.items += 1
      case .failure: statistics.unreadable += 1
      case .special: statistics.special += 1
      case .pause, nil: break
      }
    }
    return element
  }

  /// Makes an invocation of an item and the items after it that fit.
  private func invocation(from first: CommandItem) -> CommandInvocation {
    // Before another item is read.
    number = items.number ?? number + 1
    var items = [first]
    var cost = template.cost(of: first.bytes.count)
    while items.count < options.itemsPerCommand {
      next = next ?? readElement()
      // A pause does not end the invocation before it is full.
      if case .pause = next {
        next = nil
        continue
      }
      guard case .item(let item) = next else { break }
      let more = template.cost(of: item.bytes.count)
      if cost + more > room { break }
      cost += more
      items.append(item)
      next = nil
    }
    return CommandInvocation(number: number, items: items)
  }

  /// Returns false if the log has the command and it is not to be run again.
  private func isWanted(_ invocation: CommandInvocation) -> Bool {
    guard let log = options.log,
      let isSuccess = log.find(template.arguments(for: invocation.items, number: invocation.number))
    else { return true }
    count { statistics in
      statistics.doneBefore += 1
      if !isSuccess { statistics.failedBefore += 1 }
    }
    return false
  }
}

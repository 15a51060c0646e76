internal import CFileKernels
internal import SystemPackage

/// A feed of the invocations of a command, and of what the sources have beside items.
///
/// @unchecked Sendable: the processor calls it from one thread at a time.
final class CommandFeed: @unchecked Sendable {
  private let count: ((inout CommandStatistics) -> Void) -> Void

  private let items: CommandItems
  private let template: CommandTemplate
  private let options: CommandJobOptions
  /// Elements that were read and not taken, with the numbers of the commands that begin with them.
  private var ahead: ArraySlice<(element: CommandElement?, number: UInt64?)> = []
  private var number: UInt64 = 0
  /// The largest number of items of a command; 0 before the first element was read.
  private var share = 0
  private let lanes: Int

  /// The largest size of the arguments of one command. xargs has the same limit, and
  /// arguments that wait for a lane are in memory.
  private static let argumentsMax = 131_072
  /// The room for the arguments that items add.
  private let room: Int

  init(
    _ items: CommandItems, _ template: CommandTemplate, _ options: CommandJobOptions,
    lanes: Int, count: @escaping ((inout CommandStatistics) -> Void) -> Void
  ) {
    self.count = count
    self.items = items
    self.template = template
    self.options = options
    self.lanes = lanes
    let room = min(Int(clamping: kernel_argument_room()), CommandFeed.argumentsMax)
    self.room = room - template.cost(of: nil)
  }

  enum Element {
    case invocation(CommandInvocation)
    case event(CommandEvent)
    /// The next element may take a while.
    case pause
  }

  func nextInvocation() -> Element? {
    if share == 0 { chooseShare() }
    while true {
      switch takeElement() {
      case nil: return nil
      case .pause: return .pause
      case .failure(let path, let error): return .event(.unreadable(path, error.rawValue))
      case .special(let path, let type): return .event(.special(path, type))
      case .item(let item):
        let invocation = invocation(from: item)
        if isWanted(invocation) { return .invocation(invocation) }
      }
    }
  }

  /// Reads ahead what all lanes take at once. If there is no more, each lane gets a share.
  ///
  /// With a log, a pause does not matter: a run that resumes must have the same commands.
  private func chooseShare() {
    share = options.itemsPerCommand
    if share == 1 { return }
    var (count, cost) = (0, 0)
    while count / lanes < share && cost / lanes < room {
      switch readElement() {
      case nil:
        share = min(share, max(1, (count + lanes - 1) / lanes))
        return
      case .item(let item):
        count += 1
        cost += template.cost(of: item.bytes.count)
      case .pause where count >= share && options.log == nil: return
      default: break
      }
    }
  }

  private func takeElement() -> CommandElement? {
    if ahead.isEmpty { readElement() }
    let (element, number) = ahead.removeFirst()
    if let number { self.number = number }
    return element
  }

  @discardableResult
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
    ahead.append((element, items.number))
    return element
  }

  /// Makes an invocation of an item and the items after it that fit.
  private func invocation(from first: CommandItem) -> CommandInvocation {
    if self.items.number == nil { number += 1 }
    let number = number
    var items = [first]
    var cost = template.cost(of: first.bytes.count)
    while items.count < share {
      if ahead.isEmpty { readElement() }
      // A pause does not end the invocation before it is full.
      if case .pause = ahead.first?.element {
        ahead.removeFirst()
        continue
      }
      guard case .item(let item) = ahead.first?.element else { break }
      let more = template.cost(of: item.bytes.count)
      if cost + more > room { break }
      cost += more
      items.append(item)
      ahead.removeFirst()
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

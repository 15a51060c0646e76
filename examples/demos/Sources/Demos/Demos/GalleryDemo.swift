// The demo of the task group tutorial: a grid of pictures.

internal import Synchronization
internal import Weir

extension Demo {
  static let gallery = Demo(
    name: "gallery",
    abstract: "A grid of pictures by async let, task group or window: order, failure, cancelling.",
    speed: 0.25,
    knobs: [
      .choice(
        "form",
        ["group", "async-let", "throwing", "batches", "blocking", "sequential", "map"],
        "Way to fetch: the tutorial's ways, or Weir's map; batches and map have three at a time"),
      .number("tasks", 1...100, 5, "Number of pictures (async let: 4)"),
      .number("fail", 1...40, nil, "Number of the picture that fails"),
      .choice(
        "failure", ["status", "url", "decoding"],
        "Kind of failure: the server's status, a bad address, or no picture"),
      .seconds("cancel-after", 0.05...60, nil, "Cancel the whole after this time"),
    ],
    questions: [
      Question("shown", "How many pictures are shown?", .count),
      Question("peak", "How many requests run at once, at most?", .count),
      Question("seconds", "How many seconds does it take?", .seconds),
    ],
    introduction: { values in
      let plan = GalleryPlan(values)
      return "\(Gallery.title): \(text(plan.count, "picture")) by \(plan.way)"
        + (plan.failing.map { ", of which number \($0) fails" } ?? "")
        + (plan.cancelAfter.map { ", cancelled after \(text(seconds: $0))" } ?? "") + "."
    },
    start: { values, machine, finish in GalleryPlan(values).start(on: machine, finish) },
    findings: { values, run in GalleryPlan(values).findings(run) },
    code: { [GalleryPlan($0).code] })
}

private struct GalleryPlan: Sendable {
  let values: KnobValues
  init(_ values: KnobValues) { self.values = values }

  var form: String { values["form"] }
  /// The form in words.
  var way: String {
    switch form {
    case "group": "a task group"
    case "throwing": "a throwing task group"
    case "batches": "a task group in batches"
    case "blocking": "a task group whose children block"
    case "sequential": "a loop, one after the other"
    case "map": "a map with a limit"
    default: form
    }
  }
  var count: Int { form == "async-let" ? 4 : values.int("tasks") }
  /// The number of pictures at a time; `nil` for no limit.
  var limit: Int? {
    switch form {
    case "sequential": 1
    case "batches", "map": 3
    default: nil
    }
  }
  /// True if the results are in the order of the input.
  var isOrdered: Bool {
    ["async-let", "sequential", "map"].contains(form)
  }
  var failing: Int? { Int(values["fail"]) }
  var error: PictureError {
    switch values["failure"] {
    case "url": .badURL
    case "decoding": .undecodable
    default: .status(500)
    }
  }
  var cancelAfter: Double? { values.seconds("cancel-after") }

  /// The seconds of a picture: the second is the fastest, the first the slowest but one.
  private static func seconds(_ id: Int) -> Double { [0.8, 0.2, 1.0, 0.4, 0.6][(id - 1) % 5] }

  func start(on machine: any Machine, _ finish: @escaping @Sendable () -> Void) {
    let gallery = Gallery(
      source: PictureSource(
        machine: machine, seconds: { Self.seconds($0) }, failing: failing, error: error))
    let main = TracedQueue(mainOf: machine)
    let work = machine.task {
      do {
        let shown = try await fetch(gallery).map(String.init)
        // The tutorial's @MainActor: the grid changes on the main queue.
        main.async {
          note("SHOWN [\(shown.joined(separator: " "))]", value: shown.count)
          finish()
        }
      } catch {
        note("ERROR \(Self.name(of: error))")
        main.async(finish)
      }
    }
    if let cancelAfter {
      machine.task {
        try? await machine.pause(cancelAfter)
        note("CANCEL")
        work.cancel()
      }
    }
  }

  private static func name(of error: any Error) -> String {
    switch error {
    case is CancellationError: "CancellationError"
    case PictureError.status(let status): "status \(status)"
    case PictureError.badURL: "bad address"
    case PictureError.undecodable: "not a picture"
    default: "\(error)"
    }
  }

  /// Returns the numbers of the pictures that the grid shows.
  private func fetch(_ gallery: Gallery) async throws -> [Int] {
    let (ids, limit) = (1...count, limit ?? count)
    let pictures =
      switch form {
      case "async-let": try await gallery.asyncLet()
      case "throwing": try await gallery.throwingTaskGroup(ids)
      case "batches": await gallery.batches(ids, of: limit)
      case "blocking": await gallery.blockingTaskGroup(ids)
      case "sequential": await gallery.sequential(ids)
      case "map": try await gallery.map(ids, limit: limit)
      default: await gallery.taskGroup(ids)
      }
    return pictures.map(\.id)
  }

  // MARK: - The findings

  func findings(_ run: DemoRun) -> Findings {
    let log = run.log
    let peak = log.peakInProgress
    let shown = log.notes("SHOWN").last
    let error = log.notes("ERROR").last
    let (arrived, failed) = (log.numbers("ARRIVED"), log.numbers("FAILED"))
    let cancelled = log.numbers("CANCELLED")
    let end = shown ?? error
    let total = Double(end?.time ?? 0) / 1e9
    let begun = log.events(.start, of: "picture").count
    var checks = [
      (
        "every request ended before the result",
        arrived.count + failed.count + cancelled.count == begun
      ),
      (
        "no request after the result",
        !log.events(.start, of: "picture").contains { $0.time > end?.time ?? 0 }
      ),
    ]
    if let limit { checks.append(("never more than \(limit) at once", peak <= limit)) }
    if isOrdered, let shown {
      let numbers = shown.label.split { !$0.isNumber }.compactMap { Int($0) }
      checks.append(("the results in input order", numbers == numbers.sorted()))
    }
    let result =
      shown.map { "\($0.label.dropFirst(6))" } ?? error.map { "\($0.label.dropFirst(6))" }
    return Findings(
      answers: [Double(shown?.value ?? 0), Double(peak), total], checks: checks,
      verdict: "\(form): \(result ?? "nothing") after \(text(seconds: total)), at most \(peak) at "
        + "once; \(failed.count) failed, \(cancelled.count) cancelled.",
      next: advice(arrived, failed, cancelled, shown != nil))
  }

  private func advice(
    _ arrived: [Int], _ failed: [Int], _ cancelled: [Int], _ isShown: Bool
  ) -> String {
    if isShown && form == "group" && arrived.count < count {
      return "The array is short and looks whole, and nothing reports it: try --form map."
    }
    if form == "blocking" {
      return "Blocked children hold the threads of all tasks: move the blocking call to lanes."
    }
    if form == "group" { return "Try --fail 3, or --cancel-after 0.3: who reports it?" }
    if form == "async-let" { return "Try --fail 3: when is the third failure noticed?" }
    return "Try --form group --cancel-after 0.3, and compare."
  }

  // MARK: - The code

  var code: Listing {
    let text =
      switch form {
      case "async-let":
        """
        func pictures() async throws -> [Picture] {
          async let first = fetch(1) @run:picture=1
          async let second = fetch(2) @run:picture=2
          async let third = fetch(3) @run:picture=3
          async let fourth = fetch(4) @run:picture=4
          return try await [first, second, third, fourth] @end
        }
        """
      case "throwing":
        """
        func pictures() async throws -> [Picture] {
          try await withThrowingTaskGroup(of: Picture.self) { group in
            for id in 1...\(count) {
              group.addTask { @submit
                try await fetch(id) @run
              }
            }
            var pictures: [Picture] = []
            for try await picture in group {  // the first failure cancels the rest
              pictures.append(picture) @end
            }
            return pictures
          }
        }
        """
      case "batches":
        """
        func pictures() async -> [Picture] {
          let pictures = Pictures()  // an array with a lock
          await withTaskGroup(of: Void.self) { group in
            for id in 1...\(count) {
              if id > 1 && id % 3 == 1 { await group.waitForAll() }  // the slowest of the batch
              group.addTask { @submit
                // waitForAll() drops the results, so each child stores its own.
                if let picture = try? await fetch(id) { pictures.append(picture) } @run
              }
            }
          }
          return pictures.all
        }
        """
      case "blocking":
        """
        func pictures() async -> [Picture] {
          await withTaskGroup(of: Picture?.self) { group in
            for id in 1...\(count) {
              group.addTask { @submit
                try? load(id)  // blocks one of the few threads of all tasks @run
              }
            }
            return await group.reduce(into: []) { pictures, picture in
              if let picture { pictures.append(picture) } @end
            }
          }
        }
        """
      case "map":
        """
        func pictures() async throws -> [Picture] {
          // In the order of the input. The first failure cancels the rest.
          try await (1...\(count)).mapConcurrently(limit: 3) { id in
            try await fetch(id) @run
          }
        }
        """
      case "sequential":
        """
        func pictures() async -> [Picture] {
          var pictures: [Picture] = []
          for id in 1...\(count) {
            if let picture = try? await fetch(id) {  // the next one begins afterwards @run
              pictures.append(picture) @end
            }
          }
          return pictures
        }
        """
      default:
        """
        func pictures() async -> [Picture] {
          let ids = 1...\(count)
          return await withTaskGroup(of: Picture?.self) { group in
            var pictures: [Picture] = []
            pictures.reserveCapacity(ids.count)
            for id in ids {
              group.addTask { @submit
                try? await fetch(id) @run
              }
            }
            for await picture in group {  // in the order of arrival
              if let picture { pictures.append(picture) } @end
            }
            return pictures
          }
        }
        """
      }
    let after = cancelAfter.map { "after(\($0)) { work.cancel() }" }
    let canThrow = text.hasPrefix("func pictures() async throws")
    let work = "let work = Task { show(\(canThrow ? "try " : "")await pictures()) }"
    return Listing(
      form, "\(text)\n\n\(work)\n\(after ?? only(false, ""))")
  }
}

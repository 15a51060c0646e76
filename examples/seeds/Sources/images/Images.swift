// The tutorial on semaphores: its six logs, as they are there, as its code
// writes them here, and as Weir's does.

import ArgumentParser
import Console
import PictureServer
import Demos

@main
struct Images: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Images from a server on this machine, so many at once.",
    discussion: "The steps:\n"
      + ImageStep.allCases.map { "  \($0.rawValue)  \($0.title)" }.joined(separator: "\n"))

  @Option(parsing: .unconditional, help: "Which of the six logs.")
  var step = 2

  @Option(help: "Where the tutorial's blocks run: concurrent, or lanes, a thread for each.")
  var queue: Choice = .concurrent

  @Option(help: "Once three images are there, Weir's limit follows the network: cellular, wifi.")
  var network: Network?

  @OptionGroup var pace: SpeedOption

  enum Choice: String, ExpressibleByArgument, CaseIterable {
    case concurrent, lanes
  }

  enum Network: String, ExpressibleByArgument, CaseIterable {
    case cellular, wifi

    var model: ImageOptions.Network { self == .cellular ? .cellular : .wifi }
  }

  func validate() throws {
    if ImageStep(rawValue: step) == nil {
      throw ValidationError("There are the steps 1 to 6, and no step \(step).")
    }
  }

  func run() async throws {
    guard let step = ImageStep(rawValue: step) else { return }
    let speed = pace.speed ?? 15
    let options = step.options
    print("Step \(step.rawValue): \(step.title). \(speed.short) times as fast.\n")

    var knobs = PictureServer.Knobs()
    knobs.delay = { step.delay($0) / speed }
    let server = try await PictureServer(knobs)
    let weirs = await weir(step, options, server, speed)
    let its = await tutorial(step, options, server, speed)
    let limits = [options.limit, network?.model.limit ?? 0]
    let title = queue == .lanes ? "its code, on lanes" : "its code here"
    show([
      Column("the tutorial", step.shape), Column(title, step, its), Column("Weir", step, weirs),
    ])
    print("\n\(step.remark)\n")
    if its.isStuck {
      print("The main thread waits for a signal that only the main queue can send: the watchdog")
      print("has ended it.\n")
    }
    print("its code: \(its.verdict(step, limit: options.limit))")
    print("Weir:     \(weirs.verdict(step, limit: limits.max() ?? 0))")
    if its.isStuck {
      Self.exit()  // returning from here would need the main queue
    }
    await server.stop()
  }

  private func tutorial(
    _ step: ImageStep, _ options: ImageOptions, _ server: PictureServer, _ speed: Double
  ) async -> Log {
    let queue: ImageService.Queue = queue == .lanes ? .lanes(step.images) : .concurrent
    let service = ImageService(
      options, on: queue, machine: RealMachine(speed: speed), source: server.source)
    let log = Recording(step)
    service.feed.observe { log.add($0) }
    MainQueue.async {
      for id in 1...step.images {
        service.image(id) { picture in log.add(picture) }
      }
    }
    // Where it is to be stuck, nobody waits long for it.
    let patience = step == .deadlock ? max(1, 10 / speed) : patience(speed)
    let isDone = await log.isDone(within: patience)
    return log.finish(isStuck: !isDone, service.requests, threads: service.blocks.peak)
  }

  private func weir(
    _ step: ImageStep, _ options: ImageOptions, _ server: PictureServer, _ speed: Double
  ) async -> Log {
    let service = GatedImageService(
      options, machine: RealMachine(speed: speed), source: server.source)
    let log = Recording(step)
    service.feed.observe { log.add($0) }
    MainQueue.async {
      for id in 1...step.images {
        service.image(id) { picture in
          log.add(picture)
          if let network, log.pictures == 3 { service.limit = network.model.limit }
        }
      }
    }
    let isDone = await log.isDone(within: patience(speed))
    return log.finish(isStuck: !isDone, service.requests)
  }

  /// How long the watchdog waits, in seconds: far more than a run that ends can
  /// take.
  private func patience(_ speed: Double) -> Double {
    60 + 60 / speed
  }
}

// The image service: the tutorial's code does what the tutorial says, faults
// included.

import Demos
import Testing

@Suite struct ImageServiceTests {
  /// Asks for images on the main queue. Returns the lines, and the pictures.
  private func fetch(_ count: Int, from service: ImageService) async -> ([ImageLine], [Int]) {
    let lines = Collected<ImageLine>()
    let pictures = Collected<Int>()
    service.feed.observe { lines.add($0) }
    await withCheckedContinuation { continuation in
      MainQueue.async {
        for id in 1...count {
          service.image(id) { picture in
            #expect(MainQueue.isCurrent)
            pictures.add(picture?.id ?? 0)
            if pictures.all.count == count { continuation.resume() }
          }
        }
      }
    }
    await MainQueue.run {}  // the last END comes after its picture
    return (lines.all, pictures.all)
  }

  /// A number that has a START has an END, and that later.
  private func expectOrder(_ lines: [ImageLine], _ count: Int) {
    var started: Set<Int> = []
    var ended: Set<Int> = []
    for line in lines {
      switch line {
      case .start(let number, _):
        #expect(started.insert(number).inserted)
      case .end(let number, _):
        #expect(started.contains(number) && ended.insert(number).inserted)
      case .refused:
        Issue.record("the tutorial's code refuses nothing")
      }
    }
    #expect(started == Set(1...count) && ended == started)
  }

  static let queues: [ImageService.Queue] = [.concurrent, .lanes(15)]

  @Test(arguments: [ImageOptions.Wait.forever, .wallTimeout(1e6)], queues)
  func limit(wait: ImageOptions.Wait, queue: ImageService.Queue) async {
    var options = ImageOptions()
    options.wait = wait
    let service = ImageService(options, on: queue, source: .briefly)
    let (lines, pictures) = await fetch(15, from: service)
    expectOrder(lines, 15)
    #expect(pictures.sorted() == Array(1...15))
    #expect((1...3).contains(service.requests.peak))
    let timedOut = lines.count { if case .start(_, timedOut: true) = $0 { true } else { false } }
    #expect(timedOut == 0)
    // Who is woken has waited: the first three never do.
    let woken = lines.count { if case .end(_, woken: true) = $0 { true } else { false } }
    #expect((0...12).contains(woken))
  }

  @Test(arguments: [ImageOptions.Wait.wallTimeout(0.1)])
  func afterATimeoutTheLimitIsGone(wait: ImageOptions.Wait) async {
    var options = ImageOptions()
    options.wait = wait
    // With a limit of 3 that holds, 8 would never be there together.
    let service = ImageService(options, on: .lanes(8), source: .together(8))
    let (lines, pictures) = await fetch(8, from: service)
    expectOrder(lines, 8)
    #expect(pictures.count == 8)
    #expect(service.requests.peak == 8)
    let timedOut = lines.count { if case .start(_, timedOut: true) = $0 { true } else { false } }
    #expect(timedOut == 5)
  }
}

extension PictureSource {
  /// Pictures that take no time to speak of.
  static let briefly = PictureSource(
    blocking: { id in
      Pace(speed: 1000).sleep(Double(id % 3 + 1))
      return Picture(id: id)
    },
    suspending: { id in
      try await Pace(speed: 1000).pause(Double(id % 3 + 1))
      return Picture(id: id)
    })

  /// Pictures that come when so many have been asked for.
  static func together(_ count: Int) -> PictureSource {
    let meter = Meter()
    return PictureSource(
      blocking: { id in
        meter.enter()
        while meter.entered < count { Pace(speed: 1000).sleep(1) }
        return Picture(id: id)
      },
      suspending: { id in
        meter.enter()
        while meter.entered < count { try await Pace(speed: 1000).pause(1) }
        return Picture(id: id)
      })
  }
}

// The image service with a gate: the limit holds, whatever happens.

import Demos
import Testing

@Suite(.timeLimit(.minutes(1))) struct GatedImageServiceTests {
  /// Asks for images. Returns the lines, and the pictures, 0 for none.
  private func fetch(
    _ count: Int, from service: GatedImageService, meanwhile: @Sendable () async -> Void = {}
  ) async -> ([ImageLine], [Int]) {
    let lines = Collected<ImageLine>()
    let pictures = Collected<Int>()
    service.feed.observe { lines.add($0) }
    let (stream, continuation) = AsyncStream.makeStream(of: ImageLine.self)
    service.feed.observe { continuation.yield($0) }
    var events = stream.makeAsyncIterator()
    for id in 1...count {
      service.image(id) { picture in
        #expect(MainQueue.isCurrent)
        pictures.add(picture?.id ?? 0)
      }
    }
    await meanwhile()
    var open = count
    while open > 0 {
      switch await events.next() {
      case .start: break
      case .end, .refused: open -= 1
      case nil: open = 0
      }
    }
    return (lines.all, pictures.all)
  }

  @Test(arguments: [ImageOptions.Wait.forever, .wallTimeout(1e6)])
  func limit(wait: ImageOptions.Wait) async {
    var options = ImageOptions()
    options.wait = wait
    let open = Meter()
    let service = GatedImageService(
      options,
      source: PictureSource(
        blocking: { Picture(id: $0) },
        suspending: { id in
          while open.entered == 0 { try await Pace(speed: 1000).pause(1) }
          return Picture(id: id)
        }))
    let (lines, pictures) = await fetch(15, from: service) {
      while service.waiting < 12 { await Task.yield() }
      open.enter()
    }
    #expect(pictures.sorted() == Array(1...15))
    #expect(service.requests.peak == 3)
    #expect(lines.count { $0.isStart } == 15)
    let woken = lines.count { if case .end(_, woken: true) = $0 { true } else { false } }
    #expect(woken == 12, "each who waited was let through by one who was done")
    for number in 1...15 {
      let start = lines.firstIndex(of: .start(number, timedOut: false))
      let end = lines.firstIndex { if case .end(number, _) = $0 { true } else { false } }
      #expect((start ?? 99) < (end ?? -1))
    }
  }

  @Test(arguments: [ImageOptions.Wait.wallTimeout(0.1)])
  func afterATimeoutTheLimitHolds(wait: ImageOptions.Wait) async {
    var options = ImageOptions()
    options.wait = wait
    let refused = Meter()
    // Nobody is done before the others have given up.
    let source = PictureSource(
      blocking: { Picture(id: $0) },
      suspending: { id in
        while refused.entered < 5 { try await Pace(speed: 1000).pause(1) }
        return Picture(id: id)
      })
    let service = GatedImageService(options, source: source)
    service.feed.observe { line in
      if case .refused = line { refused.enter() }
    }
    let (lines, pictures) = await fetch(8, from: service)
    #expect(pictures.count { $0 == 0 } == 5 && Set(pictures).count == 4)
    #expect(service.requests.peak == 3 && service.requests.entered == 3)
    #expect(lines.count { $0.isStart } == 3)
    let (_, more) = await fetch(3, from: service)
    #expect(more.sorted() == [1, 2, 3], "the permits are all there")
  }

  @Test func theLimitFollowsTheNetwork() async {
    var options = ImageOptions()
    options.limit = ImageOptions.Network.cellular.limit
    let wide = GatedImageService(options, source: .together(6))
    let (_, pictures) = await fetch(6, from: wide) { wide.limit = ImageOptions.Network.wifi.limit }
    #expect(pictures.sorted() == Array(1...6), "six are let through together")

    options.limit = ImageOptions.Network.wifi.limit
    let later = Meter()
    let narrowed = Meter()
    let narrow = GatedImageService(
      options,
      source: PictureSource(
        blocking: { Picture(id: $0) },
        suspending: { id in
          while narrowed.entered == 0 { try await Pace(speed: 1000).pause(1) }
          later.enter()
          if later.entered > 6 { #expect(later.inside == 1, "one at a time") }
          later.leave()
          return Picture(id: id)
        }))
    let (_, others) = await fetch(12, from: narrow) {
      while narrow.requests.inside < 6 { await Task.yield() }
      narrow.limit = ImageOptions.Network.cellular.limit
      narrowed.enter()
    }
    #expect(others.sorted() == Array(1...12))
    #expect(narrow.requests.peak == 6 && narrow.limit == 1)
  }
}

extension ImageLine {
  fileprivate var isStart: Bool {
    if case .start = self { true } else { false }
  }
}

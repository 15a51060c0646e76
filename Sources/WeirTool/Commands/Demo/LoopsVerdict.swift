// What a loop in several forms has shown, in sentences.

struct LoopsVerdict {
  let plan: LoopsPlan
  let prediction: LoopsPrediction?
  /// One of each form.
  let runs: [LoopsRun]

  /// What has a difference of no more than this is as good as the same.
  private static let near = 1.25
  /// To wake other threads takes so long that loops of fewer nanoseconds feel it.
  private static let short = 200_000.0

  /// Whether all forms came to the same result, as they must.
  var isOne: Bool { Set(runs.map(\.result)).count == 1 }

  var sentences: [String] {
    [onBlocks, onTime, onCores, onSpeed, onShares, onCost, onResult, next].compactMap { $0 }
  }

  private func run(_ form: LoopsForm) -> LoopsRun? { runs.first { $0.form == form } }
  private var plain: LoopsRun? { run(.plain) }

  /// The fastest that is no plain loop.
  private var fastest: LoopsRun? {
    runs.filter { $0.form != .plain }.min { $0.nanoseconds < $1.nanoseconds }
  }

  // MARK: The prediction

  private var onBlocks: String? {
    guard let blocks = run(.stride(plan.stride))?.blocks else { return nil }
    let count = Quantities.count(plan.count, "index", "indices")
    let rounding = plan.count % plan.stride == 0 ? "" : ", rounded up"
    let why = "\(count) by \(Quantities.count(plan.stride))\(rounding)"
    let there = Quantities.count(blocks, "block", "blocks")
    switch prediction?.blocks {
    case nil: return "Stride \(Quantities.count(plan.stride)) makes \(there): \(why)."
    case blocks: return "Right: \(there), \(why)."
    case let said?: return "Wrong: you said \(Quantities.count(said)), and it is \(there): \(why)."
    }
  }

  private var onTime: String? {
    guard let said = prediction?.time, let run = run(.stride(plan.stride)) else { return nil }
    let took = Double(run.nanoseconds)
    let both = "you said \(LoopsTime.text(said)), and it took \(LoopsTime.text(took))"
    if max(said, took) <= min(said, took) * LoopsVerdict.near { return "Right or near: \(both)." }
    if said == 0 { return "Wrong: \(both)." }
    return "Wrong: \(both), \(LoopsTime.ratio(took / said)) times as long."
  }

  // MARK: What there is to learn

  private var onSpeed: String? {
    guard let plain, let fastest else { return nil }
    let alone = Double(plain.nanoseconds)
    let ratio = alone / Double(max(1, fastest.nanoseconds))
    if plan.cores == 1 {
      return "This process may use one core, and no loop is faster than the plain one there."
    }
    if ratio > 1 {
      let work = Double(plain.processorNanoseconds)
      return "The plain loop is \(LoopsTime.text(work)) of work, of which \(plan.cores) cores "
        + "can make \(LoopsTime.text(work / Double(plan.cores))). The fastest was "
        + "\(fastest.form.name): \(LoopsTime.text(fastest.nanoseconds)), "
        + "\(LoopsTime.ratio(ratio)) times as fast as plain."
    }
    if alone < LoopsVerdict.short {
      return "Nothing was faster than the plain loop: \(LoopsTime.text(alone)) of work are soon "
        + "done, and to hand them to other threads takes time too."
    }
    return "Nothing was faster than the plain loop."
  }

  /// Where other programs want the cores too, times say little. Of strides it is
  /// no sign: with a long one some threads have nothing to do.
  private var onCores: String? {
    let disturbed = [plain, run(.automatic)].compactMap { $0 }.filter { run in
      let threads = min(run.shares.count, plan.cores)
      return Double(run.nanoseconds) > LoopsVerdict.short && run.cores < Double(threads) * 0.75
    }
    guard let run = disturbed.first else { return nil }
    let threads = Quantities.count(run.shares.count, "thread", "threads")
    return "Other programs want the cores too, and the times say little (\(run.form.name): "
      + "\(threads) had \(Quantities.fixed(run.cores, digits: 1)) cores)."
  }

  /// Long strides: one block is more than a core's share.
  private var onShares: String? {
    let uneven = runs.compactMap { run -> (LoopsForm, Int)? in
      guard case .stride(let stride) = run.form else { return nil }
      let length = min(stride, plan.count)
      return length * plan.cores > plan.count + plan.cores ? (run.form, length) : nil
    }
    guard plan.cores > 1, let plain, let (form, length) = uneven.last else { return nil }
    let time = Double(plain.processorNanoseconds) * Double(length) / Double(plan.count)
    return "A block of \(form.name) has \(Quantities.count(length)) of "
      + "\(Quantities.count(plan.count, "index", "indices")), more than a core's share: it takes "
      + "\(LoopsTime.text(time)), and so does the loop at least, with any number of cores."
  }

  /// Short strides: handing out takes longer than the work.
  private var onCost: String? {
    guard let one = run(.stride(1)), let fastest, fastest.form != one.form, one.blocks >= 10_000
    else { return nil }
    let ratio = Double(one.nanoseconds) / Double(max(1, fastest.nanoseconds))
    guard ratio > LoopsVerdict.near else { return nil }
    return "Stride 1 hands out \(Quantities.count(one.blocks)) blocks, and each has its price: it "
      + "took \(LoopsTime.ratio(ratio)) times as long as \(fastest.form.name)."
  }

  private var onResult: String {
    isOne ? "All \(runs.count) came to the same result." : "THE RESULTS DIFFER."
  }

  private var next: String {
    plan.work >= 1000
      ? "Now with less work: weir demo loops --count 1000000 --work 20"
      : "Now with more work: weir demo loops --count 100 --work 100000"
  }
}

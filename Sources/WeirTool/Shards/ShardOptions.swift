// The options of a shard: --plan, --shard, --out and their like.

internal import FileJobs
internal import Weir

struct ShardOptions: OptionGroup {
  var plan: RawArgument?
  var shard: RawArgument?
  var out: RawArgument?
  var allowChanged = false
  var exitZero = false
  var resume = false

  static let (shardName, resumeName) = ("--shard", "--resume")

  static func resume(
    _ line: String = "Continue the part of an attempt that did not end", _ details: String = "",
    isBrief: Bool = true
  ) -> Option<ShardOptions> {
    Option(flag: resumeName, \.resume, line, details, isBrief: isBrief, on: .run)
  }

  /// - Parameter resume: The option to continue; `nil` if it is in another section.
  static func section(
    resume: Option<ShardOptions>? = resume(isBrief: false), changed: ShardRole = .run,
    note: String = ""
  ) -> OptionSection<ShardOptions> {
    OptionSection(
      "Many machines (see weir help plan)",
      [
        Option(
          "\(shardName) K/N", .shard, optional: \.shard, "Process one shard of N",
          """
          : K is from 0 to N-1. The hash of the name decides, or with --plan the plan. With --plan,
          auto takes K from Slurm, MPI, Kubernetes, AWS Batch or Cloud Run, or from WEIR_SHARD=K/N
          """, isBrief: false, on: .run),
        Option(
          "--plan FILE", .file, optional: \.plan, "Take the files from a plan of weir plan",
          ", and not from PATHs; the directory in which it was made is entered, unless -C is given",
          isBrief: false, on: .run),
        Option(
          "--out DIR", .partsDirectory, optional: \.out, "Write the part of the shard into DIR",
          """
          , for weir merge, and nothing on standard output; a shard whose part exists returns at
          once
          """, isBrief: false, on: .run),
      ] + (resume.map { [$0] } ?? []) + [
        Option(
          flag: "--allow-changed", \.allowChanged,
          "Read files that changed since the plan was made",
          "; without it they are reported, with exit status 3", isBrief: false, on: changed),
        Option(
          flag: "--exit-zero", \.exitZero, "Exit with 0 once the part is written",
          """
          : launchers that end all tasks if one fails need this, and weir merge has the exit status
          of the verb
          """, isBrief: false, on: .run),
      ], note: note)
  }

  /// Throws an error if options of the verb contradict those of a plan.
  ///
  /// - Parameter takesOperands: True if the operands are no files of the plan.
  func validate(_ operands: Operands, takesOperands: Bool = false) throws(UsageError) {
    if !takesOperands && !operands.inputs.isEmpty || !operands.filters.isEmpty {
      throw UsageError(
        "with --plan, the plan names the files; give PATHs and filters to weir plan instead")
    }
    for (option, _) in operands.given {
      if case .refused(let words) = option.shardRole { throw UsageError("\(option.name) \(words)") }
    }
  }

  /// The shard by the hash of the name; `nil` if all files are processed, or a plan decides.
  ///
  /// - Parameter resumes: True if the verb can continue a run without a plan.
  func selection(resumes: Bool = false) throws(UsageError) -> ShardSelection? {
    for (isGiven, fault) in [
      (out != nil, "--out needs --plan FILE; for a manifest use -o FILE"),
      (allowChanged, "--allow-changed needs --plan FILE"),
      (exitZero, "--exit-zero needs --plan FILE"),
      (resume && !resumes, "--resume needs --plan FILE"),
    ] where isGiven && plan == nil {
      throw UsageError("\(fault)")
    }
    guard let shard, plan == nil else { return nil }
    guard shard.text != "auto" else {
      throw UsageError(
        "--shard auto needs --plan FILE: a launcher knows the number of its tasks, and not "
          + "that of the shards")
    }
    let choice = try Launcher(shards: nil, environment: [:]).choose(shard.text)
    return ShardNumber(shard.text)?.count.map { ShardSelection(shard: choice.index, count: $0) }
  }
}

extension OptionValue where Value == RawArgument {
  /// A shard: `K/N`, `K` or `auto`.
  fileprivate static let shard = OptionValue { (word, option) throws(UsageError) in
    if word.text == "auto" || ShardNumber(word.text) != nil { return word }
    throw UsageError("\(option) takes K/N or auto, such as 3/64, not \(word)")
  }
}

/// The files of a shard by the hash of their names.
struct ShardSelection {
  let shard: Int
  let count: Int

  /// Decides on a size instead of a name: all files of one size are in one shard.
  func contains(size: UInt64) -> Bool {
    withUnsafeBytes(of: size.littleEndian) { contains($0) }
  }

  var number: String { "\(shard)/\(count)" }

  func contains(_ name: UnsafeRawBufferPointer) -> Bool {
    NameHash.shard(of: name, count: count) == shard
  }

  /// Selects the entries of a walk for a processor. Directories are always entered.
  var selector: @Sendable (borrowing FoundFile) -> FileSelection {
    { [shard, count] file in
      NameHash.shard(of: file.path, count: count) == shard ? .take : .skip
    }
  }
}

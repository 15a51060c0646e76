// The pipes and arguments of a new child.

internal import CWeir
internal import SystemPackage
internal import WeirLibC

/// The pipes of a child that has not started yet.
struct ChildPipes {
  private struct Pipe {
    var readEnd: Int32 = -1
    var writeEnd: Int32 = -1
  }

  private var output = Pipe()
  private var error = Pipe()

  /// Starts the program, and closes the ends that belong to the child.
  mutating func spawn(
    _ arguments: [[UInt8]], _ options: ChildProcess.Options
  ) throws(Errno) -> Int32 {
    let descriptors = [
      options.input?.rawValue ?? -1,
      try ChildPipes.descriptor(for: options.output, STDOUT_FILENO, &output),
      try ChildPipes.descriptor(for: options.error, STDERR_FILENO, &error),
    ]
    var spawned: Int32 = -1
    let code = descriptors.withUnsafeBufferPointer { descriptors in
      var cOptions = weir_spawn_options_t()
      cOptions.descriptors = descriptors.baseAddress
      if options.leadsGroup { cOptions.flags |= WEIR_SPAWN_OWN_GROUP.rawValue }
      if options.leadsSession { cOptions.flags |= WEIR_SPAWN_OWN_SESSION.rawValue }
      return ChildPipes.spawn(&spawned, arguments, options, &cOptions)
    }
    try check(code)
    ChildPipes.close(&output.writeEnd)
    ChildPipes.close(&error.writeEnd)
    return spawned
  }

  private static func spawn(
    _ spawned: inout Int32, _ arguments: [[UInt8]], _ options: ChildProcess.Options,
    _ cOptions: inout weir_spawn_options_t
  ) -> Int32 {
    if !(arguments + (options.environment ?? [])).allSatisfy({ !$0.contains(0) }) { return EINVAL }
    return withCStrings(arguments) { arguments in
      withCStrings(options.environment ?? []) { environment in
        withCStrings(options.workingDirectory.map { [terminated($0)] } ?? []) { directory in
          cOptions.directory = UnsafePointer(directory[0])
          if options.environment != nil { cOptions.environment = UnsafePointer(environment) }
          // The initializer of ChildProcess has checked that there is a first one.
          guard let file = arguments[0] else { return EINVAL }
          return weir_spawn(&spawned, file, arguments, &cOptions)
        }
      }
    }
  }

  private static func descriptor(
    for output: ChildProcess.Output, _ inherited: Int32, _ pipe: inout Pipe
  ) throws(Errno) -> Int32 {
    switch output {
    case .inherited: return inherited
    case .null: return -1
    case .descriptor(let descriptor): return descriptor.rawValue
    case .pipe:
      var ends: [Int32] = [-1, -1]
      try check(weir_spawn_pipe(&ends))
      pipe = Pipe(readEnd: ends[0], writeEnd: ends[1])
      return pipe.writeEnd
    }
  }

  /// Passes the read ends to the caller, which closes them.
  mutating func keepReadEnds() -> (output: Int32, error: Int32) {
    defer { (output.readEnd, error.readEnd) = (-1, -1) }
    return (output.readEnd, error.readEnd)
  }

  /// Closes all ends, if there is no child.
  mutating func closeAll() {
    ChildPipes.close(&output.readEnd)
    ChildPipes.close(&output.writeEnd)
    ChildPipes.close(&error.readEnd)
    ChildPipes.close(&error.writeEnd)
  }

  private static func close(_ descriptor: inout Int32) {
    if descriptor >= 0 { _ = WeirLibC.close(descriptor) }
    descriptor = -1
  }
}

// The options of a child process.

public import SystemPackage

extension ChildProcess {
  /// A standard output or standard error of a child: `descriptors` in `weir_spawn_options_t`.
  public enum Output: Sendable {
    /// The same output of this process.
    case inherited
    /// No output: `/dev/null`.
    case null
    /// A pipe, for `collect(timeout:output:error:)`.
    case pipe
    /// A descriptor, which stays open in this process.
    case descriptor(FileDescriptor)
  }

  /// The options of a child process.
  ///
  ///     import SystemPackage
  ///
  ///     var options = ChildProcess.Options(input: nil, output: .pipe, error: .pipe)
  ///     options.workingDirectory = "/srv"
  ///     options.leadsGroup = true
  ///
  /// The corresponding C type is `weir_spawn_options_t`.
  public struct Options: Sendable {
    /// Further arguments of the program, as bytes: names of files that are not UTF-8.
    public var arguments: [[UInt8]]
    /// The standard input, a descriptor that stays open in this process; `nil` for an empty input.
    public var input: FileDescriptor?
    /// The standard output.
    public var output: Output
    /// The standard error.
    public var error: Output
    /// The working directory, also for a relative path of the program; `nil` for that of this
    /// process.
    public var workingDirectory: FilePath?
    /// The environment, as `NAME=value`; `nil` for the environment of this process.
    public var environment: [[UInt8]]?
    /// True to make the child the leader of a process group: ``ChildProcess/send(_:)`` then reaches
    /// its children too, and the terminal's interrupt does not.
    public var leadsGroup: Bool
    /// True to make the child the leader of a session, and so of a group. It has no terminal: a
    /// program that asks for a password there fails, while in a group without a session it would be
    /// stopped and never end.
    package var leadsSession = false

    /// Creates options. By default the child shares everything with this process. Blocks: no. There
    /// is no corresponding C function: in C they are zeros.
    public init(
      arguments: [[UInt8]] = [], input: FileDescriptor? = .standardInput,
      output: Output = .inherited, error: Output = .inherited, workingDirectory: FilePath? = nil,
      environment: [[UInt8]]? = nil, leadsGroup: Bool = false
    ) {
      self.arguments = arguments
      self.input = input
      self.output = output
      self.error = error
      self.workingDirectory = workingDirectory
      self.environment = environment
      self.leadsGroup = leadsGroup
    }
  }
}

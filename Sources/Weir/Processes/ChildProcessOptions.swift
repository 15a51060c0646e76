// The options of a child process.

public import SystemPackage

extension ChildProcess {
  /// The standard input of a child.
  ///
  /// There is no corresponding C type: C has `descriptors` in
  /// `weir_spawn_options_t`.
  public enum Input: Sendable {
    /// The input of this process.
    case inherited
    /// Empty input: `/dev/null`.
    case null
    /// A descriptor, which stays open in this process.
    case descriptor(FileDescriptor)
  }

  /// An output of a child: its standard output or standard error.
  ///
  /// There is no corresponding C type: C has `descriptors` in
  /// `weir_spawn_options_t`.
  public enum Output: Sendable {
    /// The same output of this process.
    case inherited
    /// No output: `/dev/null`.
    case null
    /// A pipe, for `collect(until:_:)`.
    case pipe
    /// A descriptor, which stays open in this process.
    case descriptor(FileDescriptor)
  }

  /// The options of a child process.
  ///
  ///     import SystemPackage
  ///
  ///     var options = ChildProcess.Options(input: .null, output: .pipe, error: .pipe)
  ///     options.directory = "/srv"
  ///     options.leadsGroup = true
  ///
  /// The corresponding C type is `weir_spawn_options_t`.
  public struct Options: Sendable {
    /// The standard input.
    public var input: Input
    /// The standard output.
    public var output: Output
    /// The standard error.
    public var error: Output
    /// The working directory, also for a relative path of the program; `nil` for the directory of
    /// this process.
    public var directory: FilePath?
    /// The environment, as `NAME=value`; `nil` for the environment of this process.
    public var environment: [[UInt8]]?
    /// True to make the child the leader of a process group: ``ChildProcess/send(_:)`` then reaches
    /// its children too, and the terminal's interrupt does not.
    public var leadsGroup: Bool
    /// True to make the child the leader of a session, and so of a group. It has no terminal: a
    /// program that asks for a password there fails, while in a group without a session it would be
    /// stopped and never end.
    public var leadsSession: Bool

    /// Creates options. By default the child shares everything with this process.
    ///
    /// - Complexity: O(1). Blocks: no.
    ///
    /// There is no corresponding C function: in C they are zeros.
    public init(
      input: Input = .inherited, output: Output = .inherited, error: Output = .inherited,
      directory: FilePath? = nil, environment: [[UInt8]]? = nil, leadsGroup: Bool = false,
      leadsSession: Bool = false
    ) {
      self.input = input
      self.output = output
      self.error = error
      self.directory = directory
      self.environment = environment
      self.leadsGroup = leadsGroup
      self.leadsSession = leadsSession
    }
  }
}

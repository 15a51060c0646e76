// How a program is started.

public import SystemPackage

extension ChildProcess {
  /// What a child reads.
  ///
  /// There is no corresponding C type: C has `descriptors` in
  /// `weir_spawn_options_t`.
  public enum Input: Sendable {
    /// What this process reads.
    case inherited
    /// Nothing: `/dev/null`.
    case null
    /// What this descriptor gives, which stays open here.
    case descriptor(FileDescriptor)
  }

  /// Where a child writes.
  ///
  /// There is no corresponding C type: C has `descriptors` in
  /// `weir_spawn_options_t`.
  public enum Output: Sendable {
    /// Where this process writes.
    case inherited
    /// Nowhere: `/dev/null`.
    case null
    /// Into a pipe, for `collect(until:_:)`.
    case pipe
    /// To this descriptor, which stays open here.
    case descriptor(FileDescriptor)
  }

  /// How a program is started.
  ///
  ///     var options = ChildProcess.Options(input: .null, output: .pipe, error: .pipe)
  ///     options.directory = "/srv"
  ///     options.leadsGroup = true
  ///
  /// The corresponding C type is `weir_spawn_options_t`.
  public struct Options: Sendable {
    /// What it reads.
    public var input: Input
    /// Where it writes.
    public var output: Output
    /// Where it writes its messages.
    public var error: Output
    /// Its working directory, from where a relative path of the program is looked
    /// for; `nil` for this process's.
    public var directory: FilePath?
    /// Its environment, as `NAME=value`; `nil` for this process's.
    public var environment: [[UInt8]]?
    /// Whether it leads a process group of its own: then ``ChildProcess/send(_:)``
    /// reaches its children too, and the terminal's interrupt does not.
    public var leadsGroup: Bool
    /// Whether it leads a session of its own, and so a group, with what is said of
    /// that. It has no terminal: what asks for a password there fails, where a mere
    /// group of its own would be stopped, and never end.
    public var leadsSession: Bool

    /// Options; without arguments the child shares everything with this process.
    ///
    /// - Complexity: O(1).
    ///
    /// Blocks: no.
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

// Many files for a drop-in tool: over all lanes, one after the other.

#if Tool
  internal import Glibc
  internal import SystemPackage
  internal import Weir

  /// What is written for a file whose digest is known.
  protocol DropInLine: Sendable {
    /// The most bytes it takes for a name.
    func capacity(_ name: UnsafeRawBufferPointer) -> Int

    /// Writes it. Returns how many bytes it has.
    ///
    /// - Throws: What becomes of the file instead.
    func write(
      _ name: UnsafeRawBufferPointer, _ digest: DropInDigest,
      to memory: UnsafeMutableRawBufferPointer
    ) throws(Errno) -> Int
  }

  /// Reads files as GNU opens them, over all lanes, and hands out what was
  /// written for them in order.
  struct DropInFiles<Line: DropInLine>: Sendable {
    /// What became of a file.
    enum Outcome {
      case line(UnsafeRawBufferPointer)
      case failed(Errno)
    }

    private let line: Line
    private let streams: DropInStreams
    private let algorithm: String
    private let own: OwnOutputs
    private let processor: FileProcessor<DropInDigest, Void>

    /// - Parameter isAlone: Whether there is one file only, for which lanes are
    ///   not worth their threads.
    init(_ algorithm: String, _ line: Line, _ streams: DropInStreams, isAlone: Bool) {
      var options = FileProcessorOptions()
      options.isInline = isAlone
      let own = OwnOutputs()
      self.line = line
      self.streams = streams
      self.algorithm = algorithm
      self.own = own
      do throws(Errno) {
        processor = try FileProcessor(
          options,
          context: { () throws(Errno) -> DropInDigest in try DropInDigest(algorithm) },
          job: { (file, digest) throws(Errno) in
            guard !own.contains(file.descriptor) else { throw .isOwnOutput }
            try digest.compute(file)
            let name = file.path
            var failure: Errno?
            try file.write(capacity: line.capacity(name)) { memory in
              do throws(Errno) {
                return try line.write(name, digest, to: memory)
              } catch {
                failure = error
                return 0
              }
            }
            if let failure { throw failure }
          })
      } catch {
        streams.endWithoutMeans(error)
      }
    }

    /// Reads sources; returns when all are handed out.
    func run(
      _ sources: [FileSource],
      deliver: @escaping @Sendable (_ name: UnsafeRawBufferPointer, Outcome) -> Void
    ) {
      do {
        try processor.run(sources) { batch in
          for index in 0..<batch.count {
            let result = batch[index]
            switch result.outcome {
            case .done: deliver(result.path, .line(result.output))
            case .failed(.isOwnOutput):
              streams.finishLines()
              readAgain(result.path, deliver)
            case .failed(let error): deliver(result.path, .failed(error))
            case .special: deliver(result.path, .failed(.notSupported))
            case .noted: break
            }
          }
          streams.finishLines()
        }
      } catch {
        streams.endWithoutMeans(error as? Errno ?? .noMemory)
      }
    }

    /// Reads a file that the tool itself writes to, now that all lines before
    /// are in it.
    private func readAgain(
      _ name: UnsafeRawBufferPointer, _ deliver: (UnsafeRawBufferPointer, Outcome) -> Void
    ) {
      do throws(Errno) {
        let digest = try DropInDigest(algorithm)
        try digest.compute(path: name)
        let memory = UnsafeMutableRawBufferPointer.allocate(
          byteCount: line.capacity(name), alignment: 1)
        defer { memory.deallocate() }
        let count = try line.write(name, digest, to: memory)
        deliver(name, .line(UnsafeRawBufferPointer(rebasing: memory[..<count])))
      } catch {
        deliver(name, .failed(error))
      }
    }
  }

  extension Errno {
    /// Stands for a file that the tool itself writes to; no error of the system's.
    fileprivate static let isOwnOutput = Errno(rawValue: 0x7F01)
  }

  extension DropInStreams {
    /// Ends the program, which has no memory, or a libcrypto that lacks the
    /// digest.
    func endWithoutMeans(_ error: Errno) -> Never {
      say(error == .noMemory ? "memory exhausted" : "cannot compute digests: \(error)")
      end(status: 1)
    }
  }

  /// The files that standard output and standard error go to. What GNU reads from
  /// them, where they are named, are the lines written so far.
  private struct OwnOutputs: Sendable {
    private struct Identity: Equatable {
      let device: dev_t
      let number: ino_t
    }

    private let identities: [Identity]

    init() {
      identities = [STDOUT_FILENO, STDERR_FILENO].compactMap(OwnOutputs.identity)
    }

    /// Whether a descriptor is open on one of them.
    func contains(_ descriptor: FileDescriptor) -> Bool {
      guard !identities.isEmpty, let identity = OwnOutputs.identity(descriptor.rawValue) else {
        return false
      }
      return identities.contains(identity)
    }

    private static func identity(_ descriptor: Int32) -> Identity? {
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
      return Identity(device: status.st_dev, number: status.st_ino)
    }
  }
#endif

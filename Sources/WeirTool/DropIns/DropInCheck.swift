// Manifests, verified as GNU's checksum tools do.

#if Tool
  internal import FileJobs
  internal import Glibc
  internal import SystemPackage
  internal import Weir

  /// Verifies the manifests that are named.
  struct DropInCheck {
    private let tool: DropIn
    private let options: DropInOptions
    private let streams: DropInStreams

    init(_ tool: DropIn, _ options: DropInOptions, _ streams: DropInStreams) {
      self.tool = tool
      self.options = options
      self.streams = streams
    }

    /// Verifies all.
    func run() -> DropInOutcome {
      guard let algorithm = DigestAlgorithm(tool.algorithm) else {
        streams.endWithoutMeans(.notSupported)
      }
      var manifests = DropInManifests(options.names, algorithm: algorithm)
      var verdict = DropInVerdict(tool, options, streams)
      do throws(Errno) {
        let digest = try DropInDigest(tool.algorithm)
        while let step = manifests.next() {
          let title = manifests.title(manifests.index)
          switch step {
          case .file(let name, let expected):
            do throws(Errno) {
              try digest.compute(path: name)
              if digest.bytes.elementsEqual(expected) {
                verdict.matched()
                let name = DropInName(name, .newlines)
                let memory = UnsafeMutableRawBufferPointer.allocate(
                  byteCount: 6 + name.capacity, alignment: 1)
                if !options.isQuiet && !options.isSilent {
                  streams.write(
                    UnsafeRawBufferPointer(
                      rebasing: memory[..<name.write(": OK\n", to: memory)]))
                }
                memory.deallocate()
              } else {
                verdict.mismatched(name)
              }
            } catch {
              verdict.unreadable(name, error)
            }
          case .malformed(let line): verdict.malformed(line, of: title)
          case .unopened(let error): verdict.unopened(title, error)
          case .unread: verdict.unread(title)
          case .end: verdict.end(of: title)
          }
          streams.finishLines()
        }
      } catch {
        streams.endWithoutMeans(error)
      }
      return DropInOutcome(
        isWell: verdict.isWell, hasReadStandardInput: manifests.hasReadStandardInput)
    }
  }
#endif

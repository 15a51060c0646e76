// The lines of the manifests of a command line, read one manifest after the other.

internal import FileJobs
internal import Glibc
internal import SystemPackage
internal import Weir

/// A step in the reading of manifests.
enum DropInManifestStep {
  /// A line, without its newline. It may be overwritten, and is valid until the next step.
  case line(UnsafeMutableRawBufferPointer, number: Int)
  /// The next manifest could not be opened.
  case unopened(Errno)
  /// The current manifest could not be read to its end.
  case unread(Errno)
  /// The current manifest ends.
  case end
  /// An item that must precede the next step: ``DropInItem/flush`` or ``DropInItem/barrier``.
  case wait(DropInItem)
}

/// Reads the manifests that a command line names, on one thread.
final class DropInManifestLines {
  private let names: any DropInNames
  private let standard: StandardDescriptors
  private var reader: ManifestReader?
  private var descriptor = FileDescriptor.standardInput
  /// The index of the current manifest, or of the last one.
  private var index = -1
  /// True if the current manifest is a regular file, which never blocks for long.
  private var isRegular = false
  /// True if the next read may block for long and no flush has announced it.
  private var needsFlush = false
  /// True if all items before the next manifest are written.
  private var hasPassedBarrier = false
  /// True if one of the manifests so far is standard input.
  private(set) var hasReadStandardInput = false

  init(_ names: any DropInNames, _ standard: StandardDescriptors) {
    self.names = names
    self.standard = standard
  }

  /// A Boolean value that indicates whether the current manifest is standard input.
  var isStandardInput: Bool { names.isStandardInput(at: index) }

  /// Returns the next step; `nil` after the last manifest.
  func next() -> DropInManifestStep? {
    guard let reader else {
      return index + 1 < names.nameCount ? beginNext() ?? next() : nil
    }
    if needsFlush && !reader.hasNext {
      needsFlush = false
      return .wait(.flush)
    }
    do throws(Errno) {
      guard let line = try reader.next() else { return end(.end) }
      needsFlush = !isRegular
      return .line(line, number: reader.lineNumber)
    } catch {
      return end(.unread(error))
    }
  }

  // MARK: Opening and closing

  /// Opens the next manifest. Returns a step that precedes its lines, if there is one.
  private func beginNext() -> DropInManifestStep? {
    if !hasPassedBarrier && !isRegularFile(at: index + 1) {
      hasPassedBarrier = true
      return .wait(.barrier)
    }
    isRegular = !hasPassedBarrier
    hasPassedBarrier = false
    index += 1
    if isStandardInput {
      hasReadStandardInput = true
      descriptor = .standardInput
    } else {
      let name = names.name(at: index)
      do throws(Errno) {
        let number = try retryingOnInterrupt {
          isRegular ? name.withPath { open($0, O_RDONLY | O_CLOEXEC) } : standard.open(name)
        }
        descriptor = FileDescriptor(rawValue: number)
      } catch {
        return .unopened(error)
      }
    }
    needsFlush = !isRegular
    reader = ManifestReader(descriptor, lengthMax: Int.max)
    return nil
  }

  private func isRegularFile(at index: Int) -> Bool {
    let status =
      names.isStandardInput(at: index)
      ? CountWidth.status(of: STDIN_FILENO) : CountWidth.status(of: names.name(at: index))
    return status.map { $0.st_mode & S_IFMT == S_IFREG } ?? false
  }

  private func end(_ step: DropInManifestStep) -> DropInManifestStep {
    reader = nil
    if descriptor != .standardInput { close(descriptor.rawValue) }
    return step
  }
}

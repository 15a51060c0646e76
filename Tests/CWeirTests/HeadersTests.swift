// The public headers: each compiles alone, as C11 and as C++17, with gcc and clang, with and
// without libdispatch's own headers, without a message; and Weir's replacements for these declare
// the same.
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirIndependentTests {
  @Suite struct HeadersTests {
    static let compilers = [
      Compiler("gcc", "c", ["-std=c11", "-Wpedantic"]),
      Compiler("g++", "cpp", ["-std=c++17", "-Wpedantic"]),
      Compiler("clang", "c", ["-std=c11", "-fblocks"]),
      Compiler("clang++", "cpp", ["-std=c++17", "-fblocks"]),
      Compiler("clang", "c", ["-std=c11", "-Wpedantic"]),
      Compiler("clang++", "cpp", ["-std=c++17", "-Wpedantic"]),
      Compiler(Compiler.systemClang, "c", ["-std=c11", "-fblocks"]),
      Compiler(Compiler.systemClang, "cpp", ["-std=c++17", "-fblocks"]),
      Compiler(Compiler.systemClang, "c", ["-std=c11", "-Wpedantic"]),
    ]

    @Test(arguments: compilers, [true, false])
    func eachHeaderCompilesAlone(compiler: Compiler, dispatch: Bool) throws {
      guard compiler.isInstalled else { return }
      let place = Tree()
      let files = try headers().map { header in
        let name = String(header.map { $0 == "/" || $0 == "." ? "_" : $0 })
        return place.file(
          "\(name).\(compiler.suffix)",
          Array("#include <\(header)>\n\(requiring(dispatch: dispatch))".utf8))
      }
      let result = try compiler.check(files, dispatch: dispatch)
      #expect(result.isSilent, "\(result.errorText)")
    }

    /// Weir's replacements, compiled after libdispatch's own declarations.
    @Test(arguments: compilers)
    func replacementsDeclareTheSame(compiler: Compiler) throws {
      guard compiler.isInstalled else { return }
      let place = Tree()
      let text =
        "#define WEIR_LIBDISPATCH_CHECK 1\n#include <weir/libdispatch.h>\n"
        + requiring(dispatch: true)
      let file = place.file("check.\(compiler.suffix)", Array(text.utf8))
      let result = try compiler.check([file], dispatch: true)
      #expect(result.status == 0, "\(result.errorText)")
    }

    /// A C program prints the same values of all replaced macros with both sets of headers.
    @Test func replacedConstantsAreTheSame() throws {
      let compiler = Compiler("clang", "c", ["-std=c11", "-fblocks"])
      guard compiler.isInstalled else { return }
      let place = Tree()
      let file = place.file("constants.c", Array(constantsProgram.utf8))
      let outputs = try [true, false].map { dispatch in
        let program = place.root / "constants-\(dispatch)"
        let built = try compiler.build([file], dispatch: dispatch, to: program)
        #expect(built.status == 0, "\(built.errorText)")
        return try Shell.run([program]).text
      }
      #expect(outputs[0] == outputs[1] && outputs[0].contains("DISPATCH_TIME_FOREVER"))
    }

    /// weir/base.h promises that structs can grow: by reserved fields at the end, or because they
    /// are read with the caller's size.
    @Test func theStructsCanGrow() throws {
      // The library alone makes events, and lends them.
      let lent = ["weir_trace_event_t"]
      let pattern = #/typedef struct \{\n((?: .*\n)*)\} (\w+);/#
      var names: [String] = []
      for header in try headers() {
        let text = String(decoding: contents(of: repository / "include" / header), as: UTF8.self)
        let structs = text.matches(of: pattern)
        // None is left out, for instance because of an empty line.
        #expect(structs.count == text.matches(of: #/typedef struct \{/#).count, "\(header)")
        for found in structs {
          let (fields, name) = (found.1, String(found.2))
          let isRead = text.contains(
            try Regex("\\b\(name)\\s*\\*\\w+,\\s*size_t size\\)"))
          let hasReserve = fields.contains(#/ uintptr_t reserved\[\d+\];\n$/#)
          #expect(isRead || hasReserve || lent.contains(name), "\(name)")
          names.append(name)
        }
        let hasOther = text.contains(#/\n(typedef )?struct weir\w* \{/#)
        #expect(!hasOther, "\(header) has structs of another form")
      }
      #expect(names.count > 15)
    }
  }
}

/// The package's directory.
private let repository = Array(
  #filePath.utf8.dropLast("/Tests/CWeirTests/HeadersTests.swift".utf8.count))

/// The names of the headers, as in an #include.
private func headers() throws -> [String] {
  let include = repository / "include/"
  return try find(include, ["-name", "*.h"]).map { Array($0.path.dropFirst(include.count)).shown }
    .sorted()
}

/// The end of a file, which compiles only with, or only without, libdispatch's headers.
private func requiring(dispatch: Bool) -> String {
  "#if\(dispatch ? "n" : "")def WEIR_HAS_DISPATCH_HEADERS\n#error wrong headers\n#endif\nint x;\n"
}

extension Shell.Result {
  /// True if a compiler succeeded without a message.
  fileprivate var isSilent: Bool { status == 0 && output.isEmpty && errors.isEmpty }
}

/// A compiler and its flags.
struct Compiler: Sendable, CustomTestStringConvertible {
  let name: String
  let suffix: String
  let flags: [String]

  /// The system's clang, in contrast to the toolchain's.
  static let systemClang: String = {
    let names = ["clang"] + (11...30).reversed().map { "clang-\($0)" }
    return names.map { "/usr/bin/" + $0 }.first { Shell.has($0) } ?? "/usr/bin/clang"
  }()

  init(_ name: String, _ suffix: String, _ flags: [String]) {
    self.name = name
    self.suffix = suffix
    self.flags = flags
  }

  var testDescription: String { ([name] + flags).joined(separator: " ") }

  var isInstalled: Bool {
    let isInstalled = Shell.has(name)
    if !isInstalled { print("\(name) is not installed: skipped") }
    return isInstalled
  }

  func check(_ files: [Path], dispatch: Bool) throws -> Shell.Result {
    try call(["-fsyntax-only"], files, dispatch: dispatch, [])
  }

  /// Builds a program with the library's sources.
  func build(_ files: [Path], dispatch: Bool, to program: Path) throws -> Shell.Result {
    let library = try Library.objects()
    let runtime = toolchain + "/linux"
    return try call(
      ["-o", program.shown], files, dispatch: dispatch,
      [
        library, "-L\(runtime)", "-Wl,-rpath,\(runtime)", "-ldispatch", "-lBlocksRuntime",
        "-lpthread",
      ])
  }

  private func call(_ what: [String], _ files: [Path], dispatch: Bool, _ link: [String]) throws
    -> Shell.Result
  {
    let include = "-I" + (repository / "include").shown
    let headers = dispatch ? ["-isystem", toolchain] : ["-DWEIR_NO_DISPATCH_HEADERS"]
    let words =
      [name] + flags + ["-Wall", "-Wextra", "-Werror", include] + headers + what
      + files.map(\.shown) + link
    return try Shell.run(words)
  }
}

/// The directory of libdispatch and its headers in the Swift toolchain.
private let toolchain: String = {
  let info = (try? Shell.run(["swift", "-print-target-info"]).text) ?? ""
  let line = info.split(separator: "\n").first { $0.contains("\"runtimeResourcePath\"") }
  return line?.split(separator: "\"").last { $0.hasPrefix("/") }.map(String.init)
    ?? "/usr/lib/swift"
}()

/// The library, compiled once from its sources by clang.
private enum Library {
  private static let place = Tree()
  private static let made = Result { try make() }
  static func objects() throws -> String { try made.get() }

  private static func make() throws -> String {
    atexit { _ = try? Shell.run(["rm", "-rf", Library.place.root.shown]) }
    let object = (place.root / "weir.o").shown
    let sources = (repository / "Sources/CWeir").shown
    let script =
      "cd '\(place.root.shown)' && clang -std=c11 -fblocks -I'\(sources)/include' -I'\(sources)'"
      + " -c $(find '\(sources)' -name '*.c')"
      + " && ld -r -o all.o *.o && mv all.o '\(object)'"
    let result = try Shell.run(["sh", "-c", script])
    #expect(result.status == 0, "\(result.errorText)")
    return object
  }
}

private let constantsProgram = """
  #include <stdio.h>
  #include <weir.h>
  #define SAY(x) printf(#x " %lld\\n", (long long)(x))
  int main(void) {
      SAY(DISPATCH_TIME_NOW); SAY(DISPATCH_TIME_FOREVER); SAY(NSEC_PER_SEC); SAY(NSEC_PER_MSEC);
      SAY(USEC_PER_SEC); SAY(NSEC_PER_USEC); SAY(DISPATCH_QUEUE_PRIORITY_HIGH);
      SAY(DISPATCH_QUEUE_PRIORITY_DEFAULT); SAY(DISPATCH_QUEUE_PRIORITY_LOW);
      SAY(DISPATCH_QUEUE_PRIORITY_BACKGROUND); SAY(QOS_CLASS_USER_INTERACTIVE);
      SAY(QOS_CLASS_USER_INITIATED); SAY(QOS_CLASS_DEFAULT); SAY(QOS_CLASS_UTILITY);
      SAY(QOS_CLASS_BACKGROUND); SAY(QOS_CLASS_UNSPECIFIED);
      SAY((intptr_t)DISPATCH_QUEUE_SERIAL); SAY((intptr_t)DISPATCH_APPLY_AUTO);
      SAY((intptr_t)DISPATCH_TARGET_QUEUE_DEFAULT); SAY(sizeof(dispatch_time_t));
      SAY(sizeof(dispatch_once_t)); SAY(sizeof(dispatch_qos_class_t));
      SAY(DISPATCH_QUEUE_CONCURRENT != 0);
      SAY(dispatch_get_main_queue() != 0);
      return 0;
  }

  """

// Child processes, in both forms.

import Dispatch
import SystemPackage
import Weir

func blockingChildren() throws {
  var options: ChildProcess.Options = ChildProcess.Options(
    input: .null, output: .pipe, error: .pipe)
  options.directory = "/"
  options.environment = [Array("PATH=/usr/bin:/bin".utf8)]
  options.leadsGroup = true
  options.leadsSession = true
  let child = try ChildProcess(["sh", "-c", "echo out; echo err >&2; exit 3"], options)
  let total = Total()
  let ending = try child.collect(until: .now() + 60) { stream, bytes in
    let stream: ChildProcess.Stream = stream
    total.add(stream == .output ? bytes.count : 10 * bytes.count)
  }
  expect(ending == .exited(3) && total.value == 44, "\(String(describing: ending))")
  expect(try child.wait() == .exited(3), "it is known")
  let sleeper = try ChildProcess(["sleep".utf8, "1000".utf8].map { Array($0) })
  sleeper.endGroupWithIt()
  sleeper.send(15)
  let ended: ChildProcess.Ending = try sleeper.wait()
  expect(ended == .signaled(15) && !ended.isSuccess && sleeper.id > 0, "\(ended)")
  let quiet: ChildProcess.Output = .descriptor(try sink())
  let input: ChildProcess.Input = .inherited
  let last = try ChildProcess(
    ["true"], ChildProcess.Options(input: input, output: quiet, error: .inherited))
  expect(try last.wait().isSuccess, "true is true")
}

func suspendingChildren() async throws {
  let child = try ChildProcess(["echo", "hi"], ChildProcess.Options(output: .pipe))
  let total = Total()
  let ending = try await child.collect { _, bytes in total.add(bytes.count) }
  expect(ending?.isSuccess == true && total.value == 3, "it said hi")
  let other = try await ChildProcess(["true"]).wait()
  expect(other == .exited(0), "\(other)")
  do throws(Errno) {
    _ = try ChildProcess(["/weir/no/such"])
    expect(false, "there is none")
  } catch {
    expect(error == .noSuchFileOrDirectory, "\(error)")
  }
}

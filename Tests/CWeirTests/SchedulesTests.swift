// The scenarios of Tests/Schedules, which run the C library under a deterministic scheduler:
// a small part of all schedules. `make test-schedules` runs more.
import Glibc
import TestSupport
import Testing

extension CWeirIndependentTests {
  @Suite struct SchedulesTests {
    /// Fails with the words that repeat the schedule, if one breaks a promise.
    @Test(.enabled(if: isInstalled("cc")))
    func everyScheduleKeepsThePromises() throws {
      let place = try TemporaryDirectory()
      let program = "\(place.text)/schedules"
      let made = try Shell.run(["sh", "support/schedules-build.sh", program])
      try #require(made.status == 0, "\(made.errorText)")
      let result = try Shell.run([program, "--seconds", "0.05", "--schedules", "150"])
      #expect(result.status == 0, "\(result.text)\(result.errorText)")
      #expect(result.text.split(separator: "\n").count > 40, "\(result.text)")
    }
  }
}

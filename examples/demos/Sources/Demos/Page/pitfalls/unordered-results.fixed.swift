// Five pictures by a task group; each takes its time.

import Dispatch
import Glibc

private func fetch(_ index: Int) async -> String {
  try? await Task.sleep(for: .milliseconds([200, 20, 140, 60, 100][index]))
  return "picture \(index)"
}

func unorderedResultsFixed() {
  Task {
    let pictures = await withTaskGroup(of: (Int, String).self) { group in
      for index in 0..<5 { group.addTask { (index, await fetch(index)) } }
      var pictures = Array(repeating: "", count: 5)
      for await (index, picture) in group { pictures[index] = picture }
      return pictures
    }
    print(pictures.joined(separator: ", "))
    exit(0)
  }
  dispatchMain()
}

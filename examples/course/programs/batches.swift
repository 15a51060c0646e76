// Six pictures in batches of three, by waitForAll().

func fetch(_ id: Int) async -> String {
  try? await Task.sleep(for: .milliseconds([200, 300, 100, 200, 300, 100][id]))
  print("picture \(id) has arrived")
  return "picture \(id)"
}

await withTaskGroup(of: String.self) { group in
  for id in 0..<6 {
    if id == 3 {
      await group.waitForAll()  // the slowest of the batch, before the next one begins
      print("the second batch begins")
    }
    group.addTask { await fetch(id) }
  }
  var pictures: [String] = []
  for await picture in group { pictures.append(picture) }
  print("the group gives \(pictures.count) results")
}

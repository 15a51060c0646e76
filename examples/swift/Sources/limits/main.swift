// The limits of this machine, and the storage of paths, like weir limits.
import SystemPackage
import Weir

print("cores usable", Lanes.defaultWidth, separator: "\t")
print("descriptors allowed", DescriptorBudget.limit, separator: "\t")
print("descriptors to spend", DescriptorBudget.total, separator: "\t")
for path in CommandLine.arguments.dropFirst() {
  let storage = try Storage(of: FilePath(path))
  let readers = storage.readers.map { "\($0)" } ?? "as many as lanes"
  print(path, storage.fileSystem, storage.evidence, readers, separator: "\t")
}

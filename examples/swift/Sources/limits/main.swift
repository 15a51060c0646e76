// The limits of this machine, like weir limits.
import Weir

print("cores usable", Lanes.defaultWidth, separator: "\t")
print("descriptors allowed", DescriptorBudget.limit, separator: "\t")
print("descriptors to spend", DescriptorBudget.total, separator: "\t")

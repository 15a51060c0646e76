// Digests of a tree with FileJobs, the module of the tool: the lines of `sha256sum`, in the order of
// the files, and the sets of equal files.
import FileJobs
import SystemPackage
import Weir

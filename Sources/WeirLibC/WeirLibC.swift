// The C library of the system under one name, for the targets of this package.
//
// A source writes `internal import WeirLibC` in place of a conditional import of
// Glibc, Musl or Darwin. The target is no product. Its name begins with the
// package's, since SwiftPM allows a target name only once among all packages of
// a build.

#if canImport(Glibc)
  @_exported public import Glibc
#elseif canImport(Musl)
  @_exported public import Musl
#else
  @_exported public import Darwin
#endif
// The times of a status have their POSIX names on Darwin too.
#if canImport(Darwin)
  extension stat {
    /// The time of the last change of the content.
    @inlinable public var st_mtim: timespec { st_mtimespec }
    /// The time of the last change of the status.
    @inlinable public var st_ctim: timespec { st_ctimespec }
  }
#endif

// The headers of libdispatch include those of the C library. The module that
// declares the fields of a C struct is the one that the compiler loaded first.
#if canImport(CDispatch)
  @_exported public import CDispatch
#endif

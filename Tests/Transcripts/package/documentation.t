The examples of the documentation: each compiles as a reader would copy it.

  $ . "$transcripts/package/package.sh"; cd "$root"; mkdir "$top/x"
  $ perl Tests/Transcripts/package/examples.pl "$top/x" $(find Sources/Weir Sources/FileJobs -name '*.swift' | sort) $(find Sources/Weir/Weir.docc docs README.md -name '*.md' | sort); cd "$top/x"
An example need not use its results. A permit without a use would be released at once: the fix-it of that warning is no way to
keep one.
  $ compile() { "$@" -diagnostic-style=llvm >said 2>&1 || echo "ends with $?"
  >   grep '\(error\|warning\): ' said | perl -ne "print unless /was never used; consider/ && !/'(permit|membership)'/"; }
The stage that checks ownership and sending. An import of one file must not help another.
  $ emit() { compile swiftc -emit-sil -o /dev/null -wmo -swift-version 6 -enable-upcoming-feature MemberImportVisibility -module-name Examples $modules "$@"; }

## examplesCompile: with the imports that they show, without a warning
  $ ls function*.swift | wc -l | awk '{ print ($1 >= 80) }'; emit -parse-as-library "$transcripts/package/prelude.swift" function*.swift
  1

## those of README and docs compile as they stand, at the top level of a main.swift too, and those of manifests
  $ ls main*.swift program*.swift | wc -l | awk '{ print ($1 >= 2) }'; for f in main*.swift; do emit -parse-as-library $f; done
  1
  $ for f in program*.swift; do mkdir d; cp $f d/main.swift; emit d/main.swift; rm -r d; done
  $ manifests=$(swiftc -print-target-info | sed -n 's/.*"runtimeResourcePath": *"\(.*\)".*/\1/p')/pm/ManifestAPI
  $ for f in manifest*.swift; do compile swiftc -typecheck -package-description-version 6.2 -I "$manifests" $f; done

## the documentation is pages whose links all lead somewhere
  $ cd "$root"; PRODUCTS=$products sh support/docs.sh "$top/docs" >"$top/log" 2>&1 || cat "$top/log"
  $ grep -o 'pages\["/documentation/\(weir/gate\|filejobs/hashjob\)"\] = {' "$top/docs/pages.js" | sort
  pages["/documentation/filejobs/hashjob"] = {
  pages["/documentation/weir/gate"] = {

Code with a fault does not compile, with the expected message; the same code without the fault compiles: so the compiler rejects
the first for its fault and not for a misspelling. The cases are in refusals.txt.

  $ . "$transcripts/package/package.sh"

## refused: the compiler rejects code with a fault, and accepts it without the fault
`write SIGN` writes N.swift for each case: a function, which `await` or its title makes async. All are compiled together: the
start of a compiler takes longer than a few lines.
  $ write() { SIGN=$1 perl -e '
  >   my (undef, @cases) = split /^== /m, join "", <STDIN>;
  >   for my $number (0 .. $#cases) {
  >     my ($title, $code) = $cases[$number] =~ /^(.*?): [^\n]*\n(.*)/s;
  >     my $effects = "$title\n$code" =~ /\bawait\b|in async code/ ? "async throws" : "throws";
  >     my ($other, $place) = $ENV{SIGN} eq "-" ? ("[+]", 0) : ("-", 1);
  >     $code =~ s/^$other.*\n//mg;
  >     $code =~ s/^[+-]//mg;
  >     $code =~ s/<<(.*?)>>/(split m,[|],, $1, 2)[$place]/ge;
  >     open my $file, ">", "$number.swift";
  >     print $file <<SOURCE;
  > import Dispatch
  > import Synchronization
  > import SystemPackage
  > import Weir
  > private final class Chart {
  >   var points: [Int] = []
  >   var next: Chart?
  > }
  > func tried$number() $effects {
  >   let gate = Gate(label: "gate", permits: 2)
  >   let group = WorkGroup(label: "group")
  >   let lanes = Lanes(label: "lanes", width: 2)
  >   let numbers = OwnedQueue(label: "numbers", context: 0)
  >   let charts = OwnedQueue(label: "charts", context: Chart())
  >   $code
  >   _ = (gate, group, lanes, numbers, charts)
  > }
  > SOURCE
  >   }' <"$transcripts/package/refusals.txt"
  > }
  $ compile() {
  >   swiftc -emit-sil -o /dev/null -module-name Refused -wmo -diagnostic-style llvm -swift-version 6 $modules *.swift >said 2>&1 ||
  >     { perl -ne 'print "$1 $2\n" if m{^(?:.*/)?(\d+\.swift):\d+:\d+: error: (.*)}' said | grep . || cat said; }
  > }
  $ write +; compile
The compiler checks ownership only if all types are right: what it accepts is compiled again without what it rejects.
  $ write -; : >rest.swift; while compile >new; [ -s new ]; do cat new >>errors; rm $(cut -d " " -f 1 new | sort -u) || break; done
  $ grep '^== ' "$transcripts/package/refusals.txt" | cut -c 4- | while IFS= read -r row; do
  >   said=$(sed -n "s/^$((number))\.swift //p" errors); number=$((number + 1))
  >   [ "$said" ] && ! echo "$said" | grep -vqF -- "${row#*: }" || echo "$row => $said"
  > done

--report and --metrics: their contents.

## a report has the status, the verdict, the command and the counts, for every verb
A mistake in the command line is found before the run.
  $ mkdir t; for f in a b; do echo $f >t/$f; done; sha256sum t/* >M; sed 's/^......../00000000/' M >D
  $ row() {
  >   rm -f R; set -- $1; v=$1; shift; weir $v --report R "$@" >/dev/null 2>&1; echo $?; [ -e R ] || return 0
  >   perl -MJSON::PP -0777 -ne 'my $o = decode_json $_; my $c = $o->{counts}; print "$o->{verdict} $o->{status}: ",
  >     join(" ", map { $_->{text} } @{$o->{command}}), ":", map({ " $_ $c->{$_}" } grep { $c->{$_} } sort keys %$c), "\n"' R
  > }
  $ each row <<'END'
  > hash t => 0;ok 0: weir hash --report R t: files 2
  > hash t none => 3;unreadable 3: weir hash --report R t none: files 2 unreadable 1
  > hash -o new t => 0;ok 0: weir hash --report R -o new t: files 2
  > hash --resume => 2
  > check M => 0;ok 0: weir check --report R M: ok 2
  > check D => 1;different 1: weir check --report R D: failed 2
  > check -C t --audit . M => 4;new or moved 4: weir check --report R -C t --audit . M: moved 2
  > count t => 0;ok 0: weir count --report R t: files 2
  > duplicates t => 0;ok 0: weir duplicates --report R t:
  > run t -- false => 1;different 1: weir run --report R t -- false: commands 2 failed 2 items 2
  > run t => 2
  > check none => 2;failed 2: weir check --report R none:
  > END
It has the digest of each manifest, and the digests of each failure.
  $ weir check --report R D >out 2>&1; sum=$(sha256sum <D | cut -c -64); grep -o "\"sha256\":\"$sum\"" R | cut -c -9
  > for f in a b; do
  >   grep -o "\"expected\":\"00000000[0-9a-f]*\",\"computed\":\"$(sha256sum <t/$f | cut -c -64)\"" R | cut -c -12
  > done
  "sha256":
  "expected":"
  "expected":"

## metrics are gauges with one name and kind each, and the numbers of the report
  $ mkdir t; for f in a b; do echo $f >t/$f; done; sha256sum t/* >M; rm t/b
  > weir check --status --report R --metrics 'a "b\c.prom' M
  ! weir: t/b: No such file or directory
  [1]
  $ grep -v '^#' a* | sed 's/ [0-9.]*$//' | sort | uniq -d
  > grep -v '^#' a* | grep -vc '^weir_[a-z_]*{.*} [0-9]*\(\.[0-9][0-9][0-9]\)\?$'; grep exit_status a* | tail -n 1
  0
  weir_exit_status{run="a \"b\\c",verb="check"} 1
  $ perl -MJSON::PP -0777 -ne 'my $c = decode_json($_)->{counts}; print "weir_items{run=\"a \\\"b\\\\c\",verb=\"check\",kind=\"$_\"} $c->{$_}\n" for keys %$c' R >items
  $ grep -cFxf items a*; wc -l <items
  12
  12

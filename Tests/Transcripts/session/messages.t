Names that try to command a terminal, to forge a line, or to hide what they are, in the messages of all verbs. A new message with
foreign text needs a line in messages.sh.

needs script
`prepare NAME ROW` makes a directory, and a script beside it that runs the commands of a row there.

  $ W=$(command -v weir); rows() { sed -n 's/^## //p' $transcripts/session/messages.sh; }
  $ prepare() {
  >   export N=$1 W; d=$(mktemp -d $top/row.XXXXXX); cd $d; mkdir -p "t/d$N"; printf a >"t/$N"; printf a >"t/2$N"
  >   printf b >"t/d$N/x"; mkfifo "t/f$N"; ROW="## $2" perl -MSocket -ne 'BEGIN { $in = 1 } $in = $_ eq "$ENV{ROW}\n" if /^## /;
  >     print if $in; END { print ":\n"; symlink "nowhere", "t/l$ENV{N}"; socket S, AF_UNIX, SOCK_STREAM, 0;
  >     bind S, sockaddr_un("socket") }' $transcripts/session/messages.sh >$d.sh; "$W" hash t >M 2>/dev/null
  > }
  $ terminal() { TERM=xterm script -qec "stty columns 100; sh $d.sh </dev/null ${1-}" /dev/null </dev/null >$d.out || echo "ends with $?"; }
`judge terminal|log [quotes]` prints the faults of what arrived. On a terminal the tool clears its progress line, and colors what
has failed. A name that was escaped before the terminal only was not quoted; NUL, which ends a record of a format, is left out.
  $ judge() { PLACE=$1 QUOTES=${2-} perl -e '
  >   local $/; my ($text, $isLog) = (scalar <STDIN>, $ENV{PLACE} eq "log");
  >   sub fault { print shift, " after ", substr($text, $-[0] > 70 ? $-[0] - 70 : 0, $-[0] > 70 ? 70 : $-[0]) =~ s/[^ -~]/?/gr, "\n" }
  >   fault("a name without quotes") if $ENV{QUOTES} && $text =~ /\\033\]0;x/;
  >   if ($isLog) {
  >     fault("a line without weir:") if $text =~ /^(?!weir: |\z)/m;
  >     fault("a line without an end") if $text =~ /[^\n]\z/;
  >   } else {
  >     $text =~ s/\r+\e\[J|\e\[1;31m|\e\[0m//g;
  >     $text =~ tr/\0//d unless $ENV{QUOTES};
  >   }
  >   $text =~ s/\r(?=[\r\n]|\z)//g;
  >   fault("a byte that is not UTF-8") unless utf8::decode($text);
  >   fault(sprintf "U+%x", ord $1) if $text =~ /((?!\n)[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\x{202A}-\x{202E}\x{2066}-\x{2069}\x{110000}-\x{7FFFFFFF}])/;'
  > }

## quoted: no message of any verb carries a control byte, and each quotes the name
The name has an escape sequence, BEL, a newline, a carriage return, DEL, the C1 control CSI in UTF-8 and as a byte, a line separator,
an override and an isolate, a byte that is not UTF-8, and a tab.
  $ name=$(printf 'e\033]0;x\a\nweir: \r\177\302\23331m\342\200\250\342\200\256R\342\201\246\377\233t\tz'); row() {
  >   prepare "$name" "$1"; case $1 in drop-ins:*) terminal ;; *) terminal "2>$d.err"; judge log quotes <$d.err ;; esac; arrived "$1"
  > }
  $ arrived() { case $1 in messages:*) judge terminal quotes <$d.out ;; *) judge terminal <$d.out ;; esac; }
  $ rows | wc -l | awk '{ print ($1 > 20) }'; rows | at_once row ''
  1
Messages are the same on a terminal, but for the ends of their lines.
  $ whole() { prepare "$name" "$1"; terminal; arrived "$1"; }
  $ rows | some 3 | at_once whole ''

## random: no byte of a random name commands a terminal
  $ for number in $(seq ${WEIR_TEST_RANDOM_NAMES:-0}); do
  >   perl -e '
  >     srand "$ARGV[0]$ARGV[1]";
  >     my @all = map chr, 1 .. 0x1f, 0x7f .. 0xff;
  >     push @all, (map "\xc2" . chr, 0x80 .. 0x9f), (map "\xe2\x80" . chr, 0xa8, 0xa9, 0xaa, 0xae), "\xe2\x81\xa6", "\e]";
  >     print map $all[rand @all] . "a", 1 .. 12' $number $WEIR_TEST_SEED >$top/name
  >   export LC_ALL=C$([ $((number % 2)) = 0 ] || echo .UTF-8); rows | LC_ALL=C sort -R --random-source=$top/name | head -n 5 | while read -r row; do
  >     prepare "$(cat $top/name)" "$row"; terminal; judge terminal <$d.out | sed "s/^/$row, $LC_ALL: /"
  >   done
  > done

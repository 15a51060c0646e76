weir hash: names are bytes, from the arguments to the output, and messages quote them as GNU tools do.

## three hundred names, as arguments and in a tree, in each locale
  $ forest t 300; walk t >names; sort -zR --random-source=/dev/zero names >mixed; for LC_ALL in C C.UTF-8; do
  >   export LC_ALL; xargs -0 sha256sum -- <names >expected; weir hash t | cmp - expected
  >   sha256sum -c --quiet --strict expected
  >   xargs -0 sha256sum -- <mixed >expected; xargs -0 weir hash -- <mixed | cmp - expected
  > done

## a thousand names survive hash and check
sha256sum writes names that end in NUL, but cannot check them.
  $ forest t 1000; walk t >names; for o in '-a sha256' --tag; do weir hash $o t | sha256sum -c --quiet --strict; done
  $ for o in --zero '--tag --zero'; do xargs -0 sha256sum $o -- <names >expected; weir hash $o t | cmp - expected
  > done

## messages quote names as GNU tools do
All names of one byte, names that are difficult to quote, and random ones; the directory is empty.
  $ perl -CO -e '
  >   my @odd = ("it\x27s", "a b", "~", "~a", "a~", "#x", "x#", "{", "}", "{}", "{a", "a}", "a=b", "", "\x27", "\x27\x27", "\"",
  >     "a\x27\nb", "\x27#", "#\x27", "~\x27", "\x27{", "a\x27b c", "a\x27=", "a:b", ":\x27", "\x27\"", "\x27\$", "\x27\\", "?",
  >     "\x27?", "\x{e9}\x27", "\x27\x{e9}", "\x{a0}", "\x{200b}", "\x{2028}\x27", "a\x{301}", "\x{10ff80}", "\x{10fffd}\x27",
  >     "--", "--help", "--version", "-x", "x\n\t\x27\1", "\1a\x27\1", "\n\x27", "\x27\n", "\n\n");
  >   print "$_\0" for @odd;' >../names
  $ perl -e 'print map { chr($_) . "\0" } grep { $_ < 45 || $_ > 47 } 1 .. 255;
  >   print "$_\0" for "\xc3", "\xc3\x27", "a\xc3b", "\xe2\x82", "\xe2\x82\xac\xff", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\x80\x27", "\x27\xff", "\xf4\x8f\xbf\xbf\x27";
  >   srand 1; my @odd = map { chr } 1 .. 44, 92, 126, 127, 195, 169, 226, 130, 172;
  >   print "x", (map { $odd[rand @odd] } 1 .. 1 + rand 8), "\0" for 1 .. 1500' >>../names
  $ for LC_ALL in C C.UTF-8; do
  >   export LC_ALL; xargs -0 sha256sum -- <../names 2>../theirs; xargs -0 weir hash -- <../names 2>../ours
  >   sed '$d; s/^weir: //' ../ours >../o; sed 's/^sha256sum: //' ../theirs | cmp - ../o; wc -l <../o
  > done
  1810
  1810

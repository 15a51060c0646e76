# calls.pl sums|wc COUNT SEED: runs random calls of the checksum tools or of wc by weir, whose names are in ours/, and by GNU's
# tools. Prints those whose output, messages, their order or status differ, and the number of calls.
use strict;
use List::Util qw(shuffle);
use POSIX;
use Socket;

my ($table, $count, $seed) = @ARGV;
srand $seed;
sub roll { int rand $_[0] }
sub one { $_[roll scalar @_] }
sub bytes { my $bytes = ""; $bytes .= chr roll 256 for 1 .. $_[0]; $bytes }
sub write_file { open my $file, ">", $_[0] or die "$_[0]: $!"; print $file $_[1]; close $file }

# ---- runs

my @sinks = ("full", "closed", "lost");

sub to { my ($descriptor, $file) = @_; $file ? POSIX::dup2 fileno $file, $descriptor : POSIX::close $descriptor }

# Returns a stream for what a call writes: a file, or a sink that takes nothing.
sub sink {
    my ($name, $how) = @_;
    return undef if $how eq "closed";
    pipe my $read, my $file;
    open $file, ">", $how ? "/dev/full" : $name if $how ne "lost";
    return $file;
}

# Returns the status and the outputs of a call.
sub result {
    my ($side, $call, $merged) = @_;
    my $input = $call->{input} // "/dev/null";
    pipe my $in, my $write;
    syswrite $write, $$input if ref $input;
    close $write;
    my $process = fork;
    if (!$process) {
        open $in, "<", $input unless ref $input;
        my ($out, $err) = (sink("out", $call->{output}), sink("err", $call->{errors}));
        to 2, $merged && $err ? $out : $err;
        to 1, $out;
        to 0, $input eq "closed" ? undef : $in;
        %ENV = (PATH => $ENV{PATH}, LC_ALL => "C.UTF-8", %{$call->{variables}});
        exec { "$side/$call->{tool}" } "$call->{place}$call->{tool}", @{$call->{words}};
    }
    waitpid $process, 0;
    return [$?, map { open my $file, "<", $_; local $/; my $text = <$file>; unlink $_; $text // "" } "out", "err"];
}

# Compares the outputs apart, and if there are two also their order.
sub compare {
    my $call = shift;
    for my $merged (0, 1) {
        my ($ours, $theirs) = map { result $_, $call, $merged } "ours", "/usr/bin";
        if ("@$ours" ne "@$theirs") {
            my $input = ref $call->{input} ? "a pipe" : $call->{input};
            print join " ", %{$call->{variables}}, $call->{place} . $call->{tool}, map { "'$_'" } @{$call->{words}};
            return print " <$input >$call->{output} 2>$call->{errors}\n@$ours\ninstead of\n@$theirs\n";
        }
        return if !length $ours->[1] || !length $ours->[2];
    }
}

# Completes a call by what is around it, and runs it, unless it may ask for help, whose texts differ.
sub try {
    my $call = shift;
    return if grep { length >= 3 && ("--help" =~ /^\Q$_/ || "--version" =~ /^\Q$_/) } @{$call->{words}};
    $call->{variables}{LC_ALL} = "C" unless roll 3;
    $call->{variables}{POSIXLY_CORRECT} = 1 unless roll 8;
    $call->{place} = roll(6) ? "" : one "./", "/usr/bin/", "a b/", "/x/.libs/", "\xE9/";
    $call->{output} = one @sinks unless roll 25;
    $call->{errors} = one "full", "closed" unless roll 40;
    compare($call);
}

# Returns a name that a shell or a format must quote, as a file may have it.
sub name {
    my @awkward = split //, "'\"\\ \n\r\t#~{}=?:!\$`*-a,b[]&;<>()%@.\x7F\xC3\xA9";
    my $odd = roll 2;
    my $name = join "", map { $odd ? one @awkward : chr 1 + roll 255 } 0 .. roll 12;
    $name =~ tr,/,_,;
    return $name =~ /^(-|\.\.?)$/ ? "_" : $name;
}

my @gone = ("missing", "deep", "deep/", "a/", "a/b", "dangling", "loop", "socket", "", "deep/missing", "miss ing", "it's",
    "miss\ning", "mi\\ss", "colon:", "\x01", "\xFF ", "\xE9", "/proc/self/mem", "n" x 300, "./" x 2500 . "a");
mkdir "deep";
symlink "nowhere", "dangling";
symlink "loop", "loop";
socket my $socket, AF_UNIX, SOCK_STREAM, 0;
bind $socket, pack_sockaddr_un "socket";

# ---- the checksum tools

sub tool { my ($name, @options) = @_; my $tag = pop @options; { name => $name, options => \@options, tag => $tag } }
my @single = map { tool($_ . "sum", uc) } qw(md5 sha1 sha224 sha256 sha384 sha512);
my @b2sum = (tool("b2sum", "BLAKE2b"), tool("b2sum", "-l128", "BLAKE2b-128"), tool("b2sum", "--length=8", "BLAKE2b-8"));
my @cksum = ((map { tool("cksum", "-a$_", uc) } qw(md5 sha1 sha224 sha256 sha384 sha512 sm3)),
    tool("cksum", "-ablake2b", "BLAKE2b"), tool("cksum", "-ablake2b", "-l24", "BLAKE2b-24"));
my @sums = map { tool("cksum", @$_, "") } [], ["-acrc"], ["-absd"], ["-asysv"];
my (@files, @manifests);

sub line {
    my ($tool, $style) = @_;
    my $file = roll scalar @files;
    my ($digest, $name, $begin) = ($tool->{digests}[$file], $files[$file], "");
    $name = one @gone, ("missing") x 9 unless roll 9;
    $digest = uc $digest unless roll 12;
    $begin = "\\" if roll(8) && $name =~ s/([\\\n\r])/{ "\\" => "\\\\", "\n" => "\\n", "\r" => "\\r" }->{$1}/ge;
    my $tag = $tool->{tag};
    return $begin . ("$digest  $name", "$digest *$name", "$digest $name", "$tag ($name) = $digest", "$tag($name)= $digest")[$style];
}

sub damaged {
    my $line = shift;
    my $kind = roll 12;
    return ("", "#$line", substr($line, 0, roll 1 + length $line), substr($line, roll 1 + length $line), name(),
        one(" ", "\t ") . $line, $line . one(" ", "\t "), $line =~ tr/3/4/r, line(one(@single, @b2sum, @cksum), 3), "\\$line")[$kind] if $kind < 10;
    substr $line, roll(1 + length $line), roll(2), one split //, "\\ *()=\t#-0aG\r\0n:" for 0 .. roll 3;
    return $line;
}

sub manifest {
    my $tool = shift;
    my ($several, $bad, $style, $mixed) = ($tool->{name} eq "cksum" && roll(2), one(0, 0, 5, 15, 60, 100), roll(5), !roll(3));
    my @lines = map {
        my $line = line $several ? one @cksum : $tool, $mixed ? roll 5 : $style;
        roll(100) < $bad ? damaged $line : $line
    } 1 .. roll(1 + (roll(4) ? 8 : 40));
    my $end = roll(6) ? "\n" : "\r\n";
    return join($end, @lines) . (@lines && roll(5) ? $end : "");
}

sub any_tool { (sub { $single[3] }, sub { one @single }, sub { one @b2sum }, sub { one @cksum })[roll 4]->() }
sub any_names { map { my $n = roll 12; $n < 8 ? one @files : $n < 10 ? one @gone : $n < 11 ? "-" : "/dev/stdin" } 1 .. $_[0] }

sub sum {
    my ($kind, $tool, @words, $input) = (roll(10), any_tool());
    if ($kind < 4) {
        $tool = one @sums unless roll 8;
        my @options = $tool->{name} eq "cksum"
            ? qw(--tag --untagged -z --zero --unt --untag --debu -b -t --text -l0 --length=0)
            : qw(-b --binary -t --text --tag -z --zero -bz -zt --ze --bin --ta -l0 --le=16);
        @words = (map({ one @options } 1 .. one 0, 0, 1, 1, 2), any_names(one(0, 1, 1, 2, 3, 5, 12)));
    } elsif ($kind < 9) {
        my $first = one @manifests;
        $tool = $first->[0] if roll 12;
        @words = (one(qw(-c -c --check --ch -wc -cw)),
            map { one qw(--quiet --status --warn -w --strict --ignore-missing --ig --q --stri) } 1 .. one 0, 1, 1, 2, 3);
        my $how = roll 6;
        $input = \manifest($first->[0]) if $how == 0;
        push @words, $first->[1] if $how;
        push @words, map({ (one @manifests)->[1] } 1 .. roll 4), roll(4) ? () : "-", roll(4) ? () : any_names(1) if $how == 1;
    } else {
        my @options = (qw(-b -c -t -w -z --check --ignore-missing --quiet --status --warn --strict --tag --zero --binary --text -- -x -bx -
            --x --s --t --tag=x --= --check= -ccb --st --sta -W --no-check -c- --- --b), "-\xE9", "", qw(--debug --untagged -l -l8 --length
            --length=9 -a -amd5 -acrc --algorithm=sysv -ax -l-1));
        @words = shuffle map({ one @options } 1 .. roll 5), any_names(roll 3), roll(3) ? () : (one @manifests)->[1];
    }
    my $is_cksum = $tool->{name} eq "cksum";
    @words = (($kind >= 4 && $is_cksum && roll(2)) ? () : @{$tool->{options}}, @words);
    # GNU's tool ignores a read error while it computes a CRC; weir, on purpose, does not.
    @words = grep { !m{^(deep/?|/proc/self/mem)$} } @words if $is_cksum;
    @words = shuffle @words unless roll 4;
    splice @words, roll(1 + @words), 0, "--" unless roll 8;
    $input //= (\bytes(roll 300), "a", $is_cksum ? () : ("deep", "closed"), (one @manifests)->[1], undef)[roll 9];
    return { tool => $tool->{name}, words => \@words, input => $input };
}

sub make_sums {
    symlink "a", "link";
    write_file $_, bytes 1 + roll 200 for @files = ("a", "b", "c", "a b", " lead", "*star", "-x", "--help", "trail ", "back\\slash",
        "new\nline", "cr\rname", "tab\tname", "\xC3\xA9", "(paren)", "x) = y", "SHA256 (a) = b", "#comment", "\\n", "deep/f", "deep/g", "a=b",
        "name.txt", "'quoted'", "\x01", "C:", "\r", "\n", "\xFF", "\xC3(", "a\x80\n\\");
    write_file "big", bytes(4_001) x 100;
    write_file "empty", "";
    push @files, "big", "empty", "link", "./a", "deep/../b", "deep//f", "$ENV{PWD}/c", "./" x 2000 . "a";
    for my $tool (@single, @b2sum, @cksum) {
        open my $out, "-|", "/usr/bin/$tool->{name}", @{$tool->{options}}, $tool->{name} eq "cksum" ? "--untagged" : (), "-z", "--", @files;
        local $/ = "\0";
        $tool->{digests} = [map { /^([^ ]*)/ } <$out>];
    }
    for my $number (0 .. 199) {
        my ($tool, $name) = (any_tool(), ($number % 10 ? "manifest" : one "odd\nmanifest", "it's", "\xFF", "-m") . $number);
        $tool->{digests} //= $single[3]{digests};
        write_file $name, manifest $tool;
        push @manifests, [$tool, $name];
    }
}

# ---- wc

my @lists;

sub text {
    my $count = one 0, 1, 7, 63, 64, 65, 300, 4096, 8192, 16384, 16385, 50_000;
    return bytes $count unless roll 4;
    my @pieces = @{one(["some text ", "\n", "\t", "word"], [map { my $c = chr hex; utf8::encode $c; $c }
            qw(65E5 E9 20 A0 2007 202F 2060 301 A 3000 1F600)], ["\xE2\x82", "\xF0\x9F\x98", "\xC3", "\x80", "\xED\xA0\x80", "\n", " ", "A", "\0",
            "\xF8\x88\x80\x80\x80", "\xFF", "\r", "\f", "\x0B", "\t"], ["a-very-long-line "])};
    my $text = "";
    $text .= one @pieces while length $text < $count;
    return substr $text, 0, $count;
}

sub wc_name {
    roll(4) ? one @files : one "deep", "gone", "", "-", "dangling", "socket", "deep/", "f0/", "/dev/null", "./f1", "/proc/version",
        "/proc/self/mem", "miss ing", "miss\ning", "it's", "c:d", "/dev/stdin";
}

sub make_wc {
    write_file $_, text for @files = map { "f$_" . ($_ % 6 ? "" : name) } 0 .. 59;
    for (@lists = map { "list$_" } 0 .. 19) {
        my @names = map { wc_name } 1 .. roll 6;
        write_file $_, join("\0", @names) . (@names && roll(4) ? "\0" : "");
    }
}

sub wc {
    my @words = map { one qw(-l -w -c -m -L -lw -lc -lm -mL -wc --lines --by --ch --max --wor --debug -lwmcL) } 1 .. one 0, 0, 1, 1, 2, 3;
    push @words, one qw(--x -x -- --lines=1 - --files0-from --f -lx) unless roll 12;
    my $input;
    if (roll 6) {
        push @words, map { wc_name } 1 .. one 0, 1, 1, 2, 3, 8;
        $input = (\bytes(roll 3000), \text, one(@files), "deep", "closed", undef, undef)[roll 7];
    } else {
        push @words, "--files0-from=" . (roll(4) ? roll(8) ? one @lists : wc_name : "-"), roll(8) ? () : wc_name;
        $input = one @lists;
    }
    @words = shuffle @words unless roll 5;
    return { tool => "wc", words => \@words, input => $input };
}

$table eq "wc" ? make_wc() : make_sums();
try($table eq "wc" ? wc() : sum()) for 1 .. $count;

# helpers.sh: functions for the commands of all transcripts.

# rot FILE...: changes the letters of files, and neither their sizes nor their times.
rot() {
    for file; do
        touch -r "$file" "$top/time" && tr a-z0-9 b-za1-90 <"$file" 1<>"$file" && touch -r "$top/time" "$file"
    done
}

# nobody COMMAND...: runs a program as a user without rights.
nobody() {
    if [ "${uid:=$(id -u)}" = 0 ]; then
        setpriv --reuid 65534 --clear-groups --inh-caps=-all "$@"
    else
        "$@"
    fi
}

# ordinary COMMAND...: runs a program without the privileges of root over files.
ordinary() {
    if [ "${uid:=$(id -u)}" = 0 ]; then
        setpriv --bounding-set=-dac_override,-dac_read_search \
            --inh-caps=-dac_override,-dac_read_search "$@"
    else
        "$@"
    fi
}

# forest DIRECTORY COUNT: makes small files with hostile names, in directories with such names; the
# same ones in each run.
forest() {
    perl -e '
        my ($root, $count) = @ARGV;
        my @odd = split //, "\n\r\t\\ \"\x27\x01\x7f#*?[=(){}~:-";
        push @odd, "\xff", "\xc3\xa9", "\xe2\x82", "SHA256 (";
        my @places = ($root);
        srand 1;
        mkdir $root;
        while ($count) {
            my $name = join "", map { rand 2 < 1 ? chr 97 + rand 26 : $odd[rand @odd] } 0 .. rand 9;
            my $path = "$places[rand @places]/$name";
            next if -e $path;
            if (rand 12 < 1) { mkdir $path; push @places, $path; next }
            open my $file, ">", $path or die "$path: $!";
            print $file $path x (rand 40 < 1 ? 3000 : rand 9);
            $count--;
        }' "$@"
}

# noise COUNT: prints random bytes, other ones in each call; they follow from the seed of the run.
noise() {
    noises=$((noises + 1))
    perl -e '
        my ($seed, $count) = @ARGV;
        srand $seed;
        my $bytes = pack "C*", map { rand 256 } 1 .. 4099;
        print substr $bytes x (1 + $count / 4099), 0, $count' "$WEIR_TEST_SEED$noises" "$1"
}

# mixed: prints the lines of the input in another order, which follows from the seed of the run.
mixed() {
    perl -MList::Util=shuffle -e 'srand shift; print shuffle <STDIN>' "$WEIR_TEST_SEED"
}

# some COUNT: prints as many lines of the input, which follow from the seed of the run; in the long target all.
some() {
    mixed | if [ "$tables" ]; then cat; else head -n "$1"; fi
}

# walk PATH...: prints the regular files below directories, each with NUL, in the order in which weir
# finds them: by bytes, of which a slash is the first.
walk() {
    for path; do
        find "$path" -type f -print0 | tr '/\0' '\0/' | LC_ALL=C perl -e '
            $/ = "/";
            chomp(my @names = <STDIN>);
            print map { "$_/" } sort @names' | tr '/\0' '\0/'
    done
}

# fresh: empties the working directory of the section, and returns there.
fresh() {
    cd "$top" && rm -rf t && mkdir t && cd t || exit
}

# each FUNCTION [OUTPUT]: calls a function for each line "ARGUMENT => OUTPUT" of the input, in which
# OUTPUT has ";" for the ends of lines, or for lines with an argument alone. Prints the line as it
# should be if the function writes something else. A line that begins with "# " is a comment.
each() {
    grep -v '^# ' | while IFS= read -r row; do
        printf '\n\1%s\n' "$row"
        ("$1" "${row%% =>*}" </dev/null)
    done | perl -e '
        my ($top, $usual) = @ARGV;
        local $/;
        my (undef, @rows) = split /\n\x01/, <STDIN>;
        for (@rows) {
            my ($row, $said) = split /\n/, $_, 2;
            my ($argument, $output) = $row =~ /^(.*?) =>(.*)/ ? ($1, $2) : ($row, $usual);
            $said =~ s/\n$//;
            $said =~ tr/\n\0/;/d;
            $said =~ s/\Q$top/\$top/g;
            print "$argument =>", length $said ? " $said" : "", "\n" if $said ne $output =~ s/^ //r;
        }' "$top" "${2-}"
}

# at_once FUNCTION OUTPUT: calls a function for each line of the input, all at the same time. Prints the
# lines for which it writes something else.
at_once() {
    while IFS= read -r row; do
        {
            said=$("$1" "$row" </dev/null | paste -sd ';' -)
            [ "$said" = "$2" ] || printf '%s => %s\n' "$row" "$said"
        } &
    done
    wait
}

# await CONDITION: waits until a command succeeds; the transcript has a time limit. Each look takes a
# process or two, so that the pauses grow.
await() {
    for pause in 0.01 0.01 0.02 0.04; do
        ! eval "$1" || return 0
        sleep $pause
    done
    until eval "$1"; do sleep 0.08; done
}

# start COMMAND...: begins a program with default signals, which a shell does not give to `&`. Its process
# is $!.
start() {
    { env --default-signal "$@" <&3 3<&- & } 3<&0
}

# works: waits until the process $run has worked for longer than a start takes.
works() {
    await '[ $(awk "{ print \$14 + \$15 }" /proc/$run/stat) -gt 10 ]'
}

# peak PROCESS: prints the most KiB of memory that a process had.
peak() {
    sed -n 's/VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$1/status"
}

# ask PROCESS TEXT: sends SIGUSR1 until an answer in the file err has a text.
ask() {
    await "kill -USR1 $1; grep -q '$2' err"
}

# ended PROCESS: waits for a program, and prints its status or the signal that ended it.
ended() {
    wait "$1" 2>/dev/null
    set -- $?
    [ "$1" -lt 128 ] && echo "$1" || kill -l "$1"
}

# fill FIFO: writes until a writer waits; descriptor 7 keeps the FIFO open.
fill() {
    exec 7<>"$1"
    dd if=/dev/zero of="$1" oflag=nonblock bs=4096 2>/dev/null
    dd if=/dev/zero of="$1" oflag=nonblock bs=1 2>/dev/null
}

# drain FIFO: reads what a program that waits has to write, until it ends, but for NUL.
drain() {
    { tr -d '\0' <"$1" 7>&- & } 2>/dev/null
    exec 7>&-
}

# plan SHARDS ARGUMENT...: writes the plan P, as a user with the rights of $as; $n is the number of shards.
plan() {
    n=$1
    shift
    $as weir plan --shards "$n" -o P "$@" >/dev/null 2>&1
}

# order: prints the numbers of $n shards, mixed.
order() {
    [ -e "$top/order$n" ] || seq 0 $((n - 1)) | mixed >"$top/order$n"
    cat "$top/order$n"
}

# alike [PATTERN]: compares the files whole and merged, but for times in JSON and a pattern, and whole.err
# and merged.err. Prints which differ, and how many lines are merged.
alike() {
    perl -e '
        local $/;
        my %text = map { open my $file, "<", $_ or die "$_: $!"; $_ => scalar <$file> } <{whole,merged}{,.err}>;
        s/"(start|seconds)":[0-9.]*/"$1":0/g, s/$ARGV[0]//g for @text{"whole", "merged"};
        print map { "merged$_ differs\n" } grep { $text{"whole$_"} ne $text{"merged$_"} } "", ".err";
        print $text{merged} =~ tr/\n\0//, "\n"' "${1-(?!)}"
}

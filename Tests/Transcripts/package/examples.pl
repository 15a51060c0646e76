# examples.pl DIRECTORY FILE...: writes each example of the documentation in these files as a Swift file of DIRECTORY.
# The source location of each is its place in the documentation, which the compiler's diagnostics name.
#
# The documentation needs no marks for that. A block with `await` becomes an async function, any other a synchronous
# one, so that a blocking call in async code is found. A block has the imports that it shows, and no others; only the
# documentation of a module implies the import of that module. A block of the README or of docs is a whole file: what
# stands at its top level has to compile at the top level of a main.swift.
use strict;

my ($to, @files) = @ARGV;
my ($path, @lines, $first);
my %count = map { $_ => 0 } qw(function main program manifest);

sub end_of_block {
    pop @lines while @lines && $lines[-1] eq "";
    return unless @lines;
    my ($body, $kind, $begin, $end) = (join("\n", @lines), "program", "", "");
    @lines = ();
    if ($body =~ m{^// swift-tools-version|^\.package\(}) {
        $kind = "manifest";
        $begin = "import PackageDescription\n" if $body =~ s/^\.package/let dependency: Package.Dependency = .package/;
    } elsif ($path !~ m{^Sources/(\w+)}) {
        $kind = "main" if $body =~ /^\@main/m;
    } else {
        ($kind, $end) = ("function", "}\n");
        my %imports = map { $_ => 1 } "import $1", $body =~ /^import .*/mg;
        my $effect = $body =~ /\bawait\b/ ? "async throws" : "throws";
        $begin = join("\n", sort keys %imports) . "\nfunc example$count{function}() $effect {\n";
        $body =~ s/^import .*//mg;
    }
    open my $file, ">", "$to/$kind$count{$kind}.swift" or die $!;
    $count{$kind}++;
    print $file qq($begin#sourceLocation(file: "$path", line: $first)\n$body\n#sourceLocation()\n$end);
}

sub add {
    my ($line) = @_;
    $first = $. unless @lines;
    push @lines, $line if @lines || $line ne "";
}

for (@files) {
    $path = $_;
    open my $file, "<", $path or die "$path: $!";
    # Code in comments begins after an empty line or at the beginning of a comment; other indented lines continue a
    # paragraph or an item of a list.
    my ($may_begin, $fence) = (1, undef);
    while (my $line = <$file>) {
        chomp $line;
        if ($path !~ /\.swift$/) {
            if ($line =~ /^```(.*)/) {
                end_of_block();
                $fence = defined $fence ? undef : $1;
            } elsif (($fence // "") eq "swift") {
                add($line);
            }
        } elsif ($line !~ m{^ *///(.*)}) {
            end_of_block();
            $may_begin = 1;
        } elsif ($1 =~ /^ *$/) {
            add("");
            $may_begin = 1;
        } elsif ($1 =~ /^ {5}(.*)/ && ($may_begin || @lines)) {
            add($1);
        } else {
            end_of_block();
            $may_begin = 0;
        }
    }
    end_of_block();
}

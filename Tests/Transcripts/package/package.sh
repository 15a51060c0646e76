# package.sh: the repository as strangers have it, for the transcripts of this folder.
root=$(cd "$transcripts/../.." && pwd)
version=$(sed -n 's/^#define WEIR_VERSION_[A-Z]* \([0-9]*\)$/\1/p' "$root/include/weir/base.h" | paste -sd .)
products=${built%/*}
# The modules of this build, for a compiler. SwiftPM made the map of CFileKernels, for a folder that has none.
modules="-I $products/Modules -I $root/Sources/CWeir/include -I $products/CFileKernels.build
    -I $products/../../checkouts/swift-system/Sources/CSystem/include"

# clone: clones the committed files to weir, on the branch trunk and with the version as a tag; outside a git
# checkout, all files.
clone() {
    if [ -e "$root/.git" ]; then
        git clone -q --no-tags "$root" weir
    else
        mkdir weir && tar -C "$root" --exclude './.build*' -c . | tar -C weir -x && git -C weir init -q &&
            git -C weir add -A && git -C weir -c user.name=t -c user.email=t commit -qm copy
    fi && git -C weir checkout -q -B trunk && git -C weir tag "$version"
}

# installed COMPILER DIRECTORY: builds the C library of the clone with a compiler, and installs it.
installed() {
    make -s -C weir lib "CC=$1" >report 2>&1 && make -s -C weir install-lib "PREFIX=$2" >log 2>&1 || cat report log
    export PKG_CONFIG_PATH="$2/lib/pkgconfig"
}

# build COMPILER SOURCE LINKING...: compiles a program p against the installed library; LINKING are arguments
# of pkg-config, whose output is quoted for a shell.
build() {
    compiler=$1 source=$2
    shift 2
    case $compiler in *++*) cp "$source" p.cpp && source=p.cpp ;; esac
    eval "$compiler -Wall -Wextra -Werror '$source' -o p $(pkg-config --cflags weir) $(pkg-config "$@" weir)"
}

# needed: prints the shared libraries that the program p needs.
needed() {
    readelf -d p | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p'
}

# sampled: prints for each first word one of the lines with it, which follows from the seed of the run; in the
# long target all.
sampled() {
    mixed | if [ "$tables" ]; then cat; else awk '!seen[$1]++'; fi
}

`make abi` in a clone of the repository with a change.

needs clang
  $ . "$transcripts/package/package.sh"; clone; cd weir
Replaces text in every file of the C library that has it.
  $ replace() {
  >   files=$(grep -rlzF "$(printf "$1")" include/weir Sources/CWeir) || echo "no file has $1"
  >   OLD=$(printf "$1") NEW=$(printf "$2") perl -0777 -pi -e 's/\Q$ENV{OLD}/$ENV{NEW}/g' $files
  > }

## incompatible: a removed function, a new parameter, a field in the middle, options beyond their reserved fields are found
  $ replace 'weir_version(void)' 'weir_revision(void)'; replace 'weir_group_error(weir_group_t group)' 'weir_group_error(weir_group_t group, int how)'
  $ replace '    bool closed;\n} weir_gate_stats_t' '    size_t less;\n    bool closed;\n} weir_gate_stats_t'
  $ replace '    uintptr_t reserved[8];\n' '    size_t more;\n    uintptr_t reserved[8];\n'
  $ CC=clang make -s abi >log 2>&1
  [2]
  $ grep -o 'FAILED\|weir_version\|weir_group_error\|weir_gate_stats_t\|type size changed' log | sort -u
  FAILED
  type size changed
  weir_gate_stats_t
  weir_group_error
  weir_version

## a minor version, which has a new soname, may change it, and the old soname is named
  $ replace 'weir_version(void)' 'weir_revision(void)'; minor=$(echo $version | cut -d . -f 2); replace "WEIR_VERSION_MINOR $minor" 'WEIR_VERSION_MINOR 987'
  $ CC=clang make -s abi 2>&1 | grep -o "would break, and keep libweir.so.0.$minor\$" | sed s/$minor/MINOR/
  would break, and keep libweir.so.0.MINOR

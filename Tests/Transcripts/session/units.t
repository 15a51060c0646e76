The systemd units of examples/systemd: their privileges, and the calls that they allow.

needs systemd-analyze

## the units expose at most 1.5 of 10
  $ for unit in weir-check weir-record; do cp "$transcripts/../../examples/systemd/$unit@.service" ./$unit@srv.service
  >   systemd-analyze security --offline=true --threshold=15 ./$unit@srv.service >out 2>&1 || tail -n 2 out; done

## the units allow the calls of the tool
needs strace
  $ mkdir t; seq -f t/%g 40 | xargs touch; strace -f -o record weir hash --update -o m t >updated 2>&1
  > strace -f -o check weir check --quiet m; sed -n 's/^[0-9]* *\([a-z0-9_]*\)(.*/\1/p' record check | sort -u >made
  $ systemd-analyze syscall-filter 2>/dev/null | awk '/^@/ { set = $1; next } NF { print set, $1 }' >sets
  $ expand() {
  >   awk -v from="$1" '$1 == from { print $2 }' sets | while read -r one; do
  >     case $one in @*) (expand "$one") ;; *) echo "$one" ;; esac; done
  > }
  $ expand @system-service | sort -u >granted; expand @privileged | sort -u >refused; comm -23 granted refused | comm -13 - made

# messages.sh: the commands of messages.t, those of a row after its title: of messages, which quote names, and of formats and drop-in
# names, which do so in another way. $N is the hostile name; the tree t, the manifest M and a socket exist.

# w ARGUMENT...: runs weir without input.
w() { "$W" "$@" </dev/null; }

# q COMMAND...: runs a command silently.
q() { "$@" >/dev/null 2>&1 </dev/null; }

# tool NAME ARGUMENT...: runs weir by another name.
tool() { name=$1; shift; [ -e "./$name" ] || ln -s "$W" "./$name"; "./$name" "$@"; }

zeros=$(printf %064d 0)

## messages: options
w "--$N"; w "$N"; w help "$N"; w help hash "$N"; w hash "--$N"; w hash "--lane$N"
w hash "-$N"; w hash --tag=1; w hash --jobs; w hash -j; w hash --jobs "$N"
w duplicates --min-size "$N"; w run --timeout "$N"; w hash --format "$N"; w hash -a "$N"
w check --trace -; w --generate-completion-script "$N"
w --generate-completion-script bash "$N"; w hash -C "$N"; w hash --trace "$N/x" t
w hash --resume; w hash --format json --tag t; w hash "--jobs=$N"; w hash "-j$N"
w hash -a md5,sha1,sha224,sha256,sha384,sha512,b2,b3,xxh64,xxh128 t
w hash --plain -a xxh3 t >/dev/null
w hash --plain -a xxh128 t >/dev/null
w check --color "$N" M; w hash --progress "$N"; w --generate-manual-page "$N"; w demo
w check --max-depth 2 M; w check --follow M; w check --audit "$N" M
## messages: plans and shards
w plan; w plan --shards 2 -o "p$N"; w plan - --shards 2 -o x; w plan t --shards 2
w plan "$N" --shards 2 -o x
w plan t --shards 2 -o "$N/x"; w plan t --shards "$N" -o x; w merge; w merge --plan x
w merge --plan x y "$N"; w status; w status --plan "$N" x; w merge --plan "$N" x
w hash --plan x --shard 0/2; w hash --plan x --out x; w hash --out x
w hash --plan "$N" --shard "$N" --out x; w hash --shard "$N" t; w hash --shard 3 t
w hash --shard auto t; w count --plan x --shard 0/2 --out y t
## messages: commands
w run t; w run -- "$N"; w run t -- ''; w run t -- 'echo {}'"$N"; w run -n 2 t -- "{}$N"
w run --resume t -- echo; w run --resume-failed t -- echo; w run "$N" -- true
w run --joblog "$N/x" t -- echo; w run t -- "./$N"; w run t -- "$N a"
w run -C "$N" t -- echo; TMPDIR="/$N" w run t -- true
## messages: launchers
q "$W" plan t --shards 2 -o plan
a() { env "$@" "$W" hash --plan plan --shard auto --out o </dev/null; }
a WEIR_SHARD="$N"; a WEIR_SHARD=1; a WEIR_SHARD=5/2; a WEIR_SHARD=1/3; a SLURM_PROCID="$N"
a SLURM_ARRAY_TASK_ID="$N" SLURM_JOB_ID="$N"; a X="$N"; a SLURM_JOB_ID="$N"
a SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_COUNT=2 SLURM_ARRAY_JOB_ID="$N"
a SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_COUNT=3
a SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_COUNT=2 SLURM_PROCID=0 SLURM_NTASKS=2
a SLURM_ARRAY_TASK_ID=1 JOB_COMPLETION_INDEX=0; a OMPI_COMM_WORLD_RANK=1
a OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=3; a LSB_JOBINDEX=0
a CLOUD_RUN_TASK_INDEX=0 CLOUD_RUN_TASK_COUNT=2
a SLURMD_NODENAME="$N" SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_COUNT=2
w hash --plan plan --shard 3 --out o; w hash --plan plan --shard 0/3 --out o
## messages: the recorder
export WEIR_TRACE="$N/x" WEIR_TRACE_EVENTS="$N"; w hash M >/dev/null
WEIR_TRACE="t/$N"; WEIR_TRACE_EVENTS=5; w hash M >/dev/null
## messages: what is no file
for v in hash count duplicates; do
  w $v "$N" "t/f$N" "t/d$N/nope" >/dev/null; w $v --files-from "$N"
  w $v --summary --verbose t >/dev/null; printf 't/%s\000' "n$N" | "$W" $v --files0-from -
  w $v t >/dev/full
done
w duplicates - ; w hash --files-from /dev/fd/9; w limits "$N"
w hash socket
w hash t --trace M M >/dev/null; w hash --trace "$(printf 't/f\033')/x" t
## messages: special files
w hash "t/f$N"; w check "t/f$N"; w run "t/f$N" -- true; w plan "t/f$N" --shards 1 -o x
w hash --trace "t/f$N" M >/dev/null; w hash --trace "t/$N" "t/$N"; w hash -o "t/f$N" M
w check t; w check "t/d$N"; w hash -o "t/d$N" M; w hash -o "$N/x" M
w hash --trace "x$N" -o "x$N" M; w hash --trace /dev/full M >/dev/null
mkfifo "j$N"; w run --joblog "x$N" --trace "x$N" t -- true
## messages: manifests
printf '%s  %s\n' $zeros "$(printf 'a\033]0;x')" >"m$N"; w check "m$N" >/dev/null
: >"m$N"; w check "m$N"; printf '\033]0;x\n' >"m$N"; w check "m$N"; w check -w "m$N"
printf '\033]0;x\n%s  M\n' $zeros >"m$N"; w check -w "m$N" >/dev/null
printf 'RMD160 (\033]0;x) = %.40s\n' $zeros >"m$N"; w check "m$N" >/dev/null
printf '{"type":1}\n' >"m$N"; w check "m$N"; printf '#mtree\n' >"m$N"; w check "m$N"
printf '#mtree\n\033]0;x type=file\n' >"m$N"; w check -w "m$N" >/dev/null
w hash -a b3 M >"m$N" 2>/dev/null; "$W" check --verbose - <"m$N" >/dev/null
printf '%s  m%s\n' $zeros "$N" | tr -d '\n' >s; printf '%s  s\n' $zeros >>s
w check s >/dev/null
sed 's/^.*$/&/' M >"m$N"; printf '%s  M\n' $zeros >"k$N"; w check "k$N" >/dev/null
w hash -a md5 M >k; printf '%.32s  M\n' $zeros >k; w check k >/dev/null
w hash -a sha512-256 t | sed 's/.*(\(.*\)) = /X (\1) = /' >k; w check -w k >/dev/null
w check "n$N"; w check --ignore-missing "k$N" >/dev/null
printf 'SHA256 (%s) = %s\n' "k$N" $zeros | tr '\n' ' ' >k; w check -w k >/dev/null
w check --quiet M; w check -a "$N" M; w check -z M >/dev/null
printf '%s  x\n' $zeros >k; w check --ignore-missing k
printf '#mtree\nx type=file size=1\n' >k; w check --ignore-missing k
w hash -a blake3 --plain "t/2$N" >"m$N"; w check --verbose "m$N"
printf '%s  k\n' $zeros >k; w check k
## messages: verdicts
chmod +w t; printf changed >"t/$N"; w check M; w check --summary M; rm -f "t/$N"; w check M
w check --audit t M; printf new >"t/new$N"; w check --audit t --summary M
mv "t/2$N" "t/moved$N"; w check --audit t --format text M "none$N"
rm -f "t/moved$N"; mkfifo "t/2$N"; w check M; mkdir "$N"; cd "$N"; w check ../M
## messages: entries of mtree
w hash --format mtree -o m t; w check m; printf changed >"t/$N"; rm -f "t/2$N"
mkdir "t/2$N"; w check m; rm -f "t/l$N"; ln -s "$N" "t/l$N"; w check m
## messages: places
mkdir "in$N"; mv t "in$N"; w check M; mv "in$N/t" .
sed 's: t/: gone/t/:' M >K; w check K >/dev/null; mkdir y; cd y; w check ../M; cd ..
mkdir "y$N"; cp M "y$N/K"; mv t "y$N"; w check "y$N/K"
for i in 1 2 3 4 5 6 7 8 9 0; do cat M; done >K2; cat K2 K2 K2 K2 K2 K2 K2 K2 K2 K2 >K3
cat K3 K3 K3 K3 K3 K3 K3 K3 K3 K3 >K4; w check K4
## messages: output files
printf x >"o$N"; w hash -o "o$N" t; rm "o$N"; w hash -o "o$N" t; w hash -o "o$N" --update t
printf y >"t/$N"; w hash -o "o$N" --update t; rm "t/$N"; printf z >"t/y$N"
w hash -o "o$N" --update t; w hash -o "o$N" --update "nope$N"; w hash -o "o$N" "nope$N"
w hash -o "o$N" --update -a md5 t; w hash -o "b$N" -a md5 t; w hash -o "b$N" --update t
printf 'x\n%s' "$(cat "o$N")" >"q"; w hash -o "o$N" --update --format mtree t
mkdir e; printf 1 >e/1; w hash -o "e$N" e; rm e/1; w hash -o "e$N" --update e
touch -d 2001-01-01 "t/y$N"; w hash -o "o$N" --update t; w hash -o "t/y$N" "t/y$N"
printf rot1 >"t/rot$N"; touch -d 2001-01-01 "t/rot$N"; w hash -o "o$N" --update t
printf rot2 >"t/rot$N"; touch -d 2001-01-01 "t/rot$N"; w hash -o "o$N" --update t
w hash -o "o$N" --update --accept-rot t
w hash -o "m$N" --format mtree t; w hash -o "m$N" --update -z t; w hash --max-gone "$N" t
mkdir g; for i in 1 2 3; do echo $i >g/$i; done; w hash -o "g$N" g; rm g/1 g/2
w hash -o "g$N" --update g; mkdir h; echo 1 >"h/$N"; ln -s h i; w hash -o "h$N" h
w hash -o "h$N" --max-gone 100% --update i
ls -d t/* >"l$N"; w hash -o "j$N" --files-from "l$N"; rm "l$N"; mkdir "l$N"
w hash -o "j$N" --update --files-from "l$N"
w hash -a blake3 --plain t >"k$N"; w hash -o "k$N" --update t
printf x >"u$N"; w hash -o "u$N" --update t
for d in 0 1; do printf '%064d  t/%s\n' $d "$N"; done >"v$N"; w hash -o "v$N" --update t
printf '#mtree v2.0 weir 9\033]0;x run path=t\n' >"c$N.partial"
w hash -o "c$N" --resume t; w hash -o "c$N" t; w hash -o "o$N" --trace "o$N" t
## messages: records of other runs
version=$(w --version | cut -d' ' -f2)
head() { printf '#mtree v2.0 weir %s run %s\n' "$1" "$2" >"c$N.partial"; }
head "9$(printf '\033]0;x')" path=t; w hash -o "c$N" --resume t
head "$version" "$(printf 'k\033]0;x=t')"; w hash -o "c$N" --resume t
head "$version" "$(printf 'path=\033]0;x')"; w hash -o "c$N" --resume t
head "$version" "path=t algorithms=md5 directory=x"; w hash -o "c$N" --resume t
head "$version" "$(printf 'directory=/\\033]0;x path=t exclude=\\033]0;x')"
w hash -o "c$N" --resume t
head "$version" "exclude=a exclude=b exclude=c exclude=d path=t"; w hash -o "c$N" --resume t
## messages: runs that were interrupted
mkfifo p; exec 5<>p
stop() { { kill -TERM $1; wait $1; } 2>/dev/null; }
until_partial() { until [ -e "$1" ]; do kill -0 $pid 2>/dev/null || exit 9; sleep 0.01; done; }
"$W" hash --progress never -o "o$N" t - <&5 & pid=$!; until_partial "o$N.partial"
w hash -o "o$N" --resume t -; stop $pid
"$W" hash --progress never --trace "r$N" - <&5 & pid=$!; until_partial "r$N"
kill -USR1 $pid 2>/dev/null; stop $pid
"$W" run --progress never --joblog "j$N" t -- sh -c 'exec sleep 100' & pid=$!
until_partial "j$N"
w run --joblog "j$N" --resume t -- true; stop $pid
"$W" duplicates --progress never --trace "d$N" --files-from p & pid=$!; until_partial "d$N"
stop $pid
## messages: commands that fail
w run t -- false; w run t -- sh -c 'kill -9 $$' "$N"
w run --timeout 0.1 t -- sh -c 'exec sleep 100'
w run --retries 1 t -- sh -c 'exit 3'; w run -n 9 t -- false; w run --halt soon t -- false
w run t -- "./M"; w run --summary t -- true; w run --files-from "$N" -- true
w run "t/f$N" "$N" -- true; printf 't/%s\000' "n$N" | "$W" run --files0-from - -- true
## messages: job logs
w run --joblog "j$N" t -- true; w run --joblog "j$N" t -- true
w run --joblog "j$N" --resume t -- false
printf 'Seq\tHost\n\033]0;x\n' >"k$N"; w run --joblog "k$N" --resume t -- true
printf '\033]0;x\n' >"k$N"; w run --joblog "k$N" --resume t -- true
w run --joblog "t/d$N" t -- true
## formats: the output of commands
w run --format json t -- printf '\033]0;x\007\302\233\342\200\256\377\n%.0s'
w hash --format json t; w count --format json t; w duplicates --format json t
w check --format json M; printf x >"t/$N"; w check --format json --audit t M
w hash --format mtree t; w hash -z t; w count t; w count -z t; w duplicates t
w duplicates --hard-links t; w hash --tag t; w hash t; w hash --format json "$N" 2>/dev/null
printf 'a\302\233b\177' >"$(printf 't/c\302\233\342\200\250\342\200\256\177')"
w hash --format json t
## messages: shards
w plan t --shards 2 -o "p$N"; p="p$N"; w hash --plan "$p" --shard 0/2 --out "o$N"
w hash --plan "$p" --shard 0/2 --out "o$N"; w merge --plan "$p" "o$N"
w status --plan "$p" "o$N"
w count --plan "$p" --shard 1/2 --out "o$N"; w count --plan "$p" --shard 1/2 --out q
cp q/*part "o$N"; w merge --plan "$p" "o$N"
w hash --plan "$p" --shard 1/2 --out "o$N" "--tag"
w hash --plan "$p" --shard 1/2 --out "r$N" --exclude "$N"
w hash --plan "$p" --shard 1/2 -o x --out r
w hash --plan "$p" --shard 1/2 --out r --unordered --allow-changed
w check --plan "$p" --shard 0/2 --out c
w check --plan "$p" --shard 0/2 --out c -; w check --plan "$p" --shard 0/2 --out c "t/f$N"
w check --plan "$p" --shard 0/2 --out c --audit t M
w check --plan "$p" --shard 0/2 --out c "$N"
w duplicates --plan "$p" --shard 0/2 --out d; w hash --plan "$p" --shard 0/2 --out r --follow
w run --plan "$p" --shard 0/2 --out e --joblog x -- true
w run --plan "$p" --shard 0/2 --out e -- false
w run --plan "$p" --shard 1/2 --out e -- "$N"; printf y >>"t/$N"; printf y >>"t/2$N"
w hash --plan "$p" --shard 0/2 --out f; w hash --plan "$p" --shard 1/2 --out f
mv t "u$N"; w hash --plan "$p" --shard 0/2 --out g
w hash -C "u$N" --plan "$p" --shard 0/2 --out g
w merge --plan "$p" -o "$p" "o$N"; w status --plan "$p" "$N"; w merge --plan "$p" "$N"
## messages: damaged parts
q "$W" plan t --shards 2 -o plan; q "$W" hash --plan plan --shard 0/2 --out o
q "$W" hash --plan plan --shard 1/2 --out o; q "$W" plan t M --shards 2 -o other
part=$(ls o/*00000-of*); cp "$part" saved; d="o$N"; mv o "$d"; part="o$N/${part#o/}"
why() { "$W" merge --plan plan "$d" 2>&1 </dev/null | grep -aqF "$1" || exit 9; }
again() { w merge --plan plan "$d"; w status --plan plan "$d"; why "$1"; }
line='first line is malformed'; differs='SHA-256 differs'; cut='is cut short'
w merge --plan other "$d"; head -c 100 saved >"$part"; again "$cut"
head -c -1 saved >"$part"; again "$cut"; printf '\033]0;x\n' >"$part"; again 'not a part'
printf '{"format":"weir part","version":99}\n' >"$part"; again 'version 99'
printf '{"format":"weir part","version":1}\n' >"$part"; again "$line"
sed '1s/"verb":"hash"/"verb":"\\u001b]0;x"/' saved >"$part"; again "$line"
sed '1s/"verb":"hash"/"verb":"hush"/' saved >"$part"; again "$differs"
sed '1s/"words":\[[^]]*\]/"words":["\\u001b]0;x"]/' saved >"$part"; again "$differs"
sed '1s/"words":\[[^]]*\]/"words":[{"bytes":"GwA="}]/' saved >"$part"; again "$differs"
sed '1s/"shard":0/"shard":1/' saved >"$part"; again 'not of 0/2'
cp saved "$part"; printf z >>"$part"; again 'last bytes'; cp saved "$part"
cp saved "$d/shard-00007-of-00009.part"; again 'no shard of'; rm "$d/shard-00007-of-00009.part"
sed '1s/"engine":"[^"]*"/"engine":"slurm array\\u001b"/' saved >"$part"; again "$line"
(head -n 1 saved; tail -c +200 saved) >"$part"; again block; rm "$part"; again missing
for i in 0 1; do q "$W" hash --tag --plan other --shard $i/2 --out "$d"; done; again plan
## messages: parts of a command with hostile words
q "$W" plan t --shards 2 -o "p$N"
q "$W" run --plan "p$N" --shard 0/2 --out "o$N" -- true "$N"
w merge --plan "p$N" "o$N"; q "$W" run --plan "p$N" --shard 1/2 --out q -- true "x$N"
cp q/*part "o$N"; w merge --plan "p$N" "o$N"
sed -i '1s/"verb":"run"/"verb":"ruin"/' "o$N"/*; w merge --plan "p$N" "o$N"
w run --plan "p$N" --shard 1/2 --out "o$N" -- true "y$N"
## messages: plans
q "$W" plan t --shards 2 -o saved; p="p$N"
h() { w hash --plan "$p" --shard 0/2 --out "o$N"; }
printf '\033]0;x\n' >"$p"; h; w plan t --shards 2 -o "$p"; head -c 50 saved >"$p"; h
head -c -1 saved >"$p"; h; (cat saved; echo z) >"$p"; h; sed '1s/2/9/' saved >"$p"; h
sed '1s/"version":1/"version":99/' saved >"$p"; h; sed '2s/./X/10' saved >"$p"; h
tr '0' '1' <saved >"$p"; h; w plan t --shards 2 -o "t/f$N"; w plan t --shards 2 -o "t/d$N"
printf '%s\000' "t/$N" "t/n$N" | "$W" plan --files0-from - --shards 1 -o "q$N"
w plan t "saved" --shards 2 -o saved; w plan --summary t --shards 2 -o v
w plan "$p" --shards 2 -o "$p"
## drop-ins: GNU's tools
for t in sha256sum md5sum b2sum cksum wc; do
  tool $t "t/$N" "nope$N" "t/f$N/x" "t/d$N"; tool $t "--$N"; tool $t -"$N"; tool $t --he"$N"
  tool $t -c "nope$N"; tool $t -c M; tool $t -c "t/$N"; tool $t -z "t/$N"
  tool $t --tag "t/$N"
  tool $t --help | head -n 3; tool $t -l "$N" M; tool $t -a "$N" M; tool $t "t/$N" >/dev/full
done
tool wc --files0-from "nope$N"
tool wc --files0-from M "$N"; printf 't/%s\000' "$N" | ./wc --files0-from -
printf '\000' | ./wc --files0-from -; tool wc --files0-from "t/d$N"; tool b2sum -l 7 M
printf x >"t/$N"; tool sha256sum -c M; tool sha256sum -c --warn "t/$N"
tool cksum -a sha256 --check M
tool sha256sum "t/$N" - <&-; mkdir "$N"; ln -s "$W" "$N/sha256sum"; "$N/sha256sum" --x
"$N/sha256sum" nope
"$N/sha256sum" --help

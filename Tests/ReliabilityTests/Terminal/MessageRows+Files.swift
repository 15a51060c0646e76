// The table of messages: files, manifests and output files.

extension MessageRow {
  static let files = [
    MessageRow(
      "what is no file",
      #"""
      for v in hash count duplicates; do
        w $v "$N" "t/f$N" "t/d$N/nope" >/dev/null; w $v --files-from "$N"
        w $v --summary --verbose t >/dev/null; printf 't/%s\000' "n$N" | "$W" $v --files0-from -
        w $v t >/dev/full
      done
      w duplicates - ; w hash --files-from /dev/fd/9; w limits "$N"
      w hash socket
      w hash t --trace M M >/dev/null; w hash --trace "$(printf 't/f\033')/x" t
      """#),
    MessageRow(
      "special files",
      #"""
      w hash "t/f$N"; w check "t/f$N"; w run "t/f$N" -- true; w plan "t/f$N" --shards 1 -o x
      w hash --trace "t/f$N" M >/dev/null; w hash --trace "t/$N" "t/$N"; w hash -o "t/f$N" M
      w check t; w check "t/d$N"; w hash -o "t/d$N" M; w hash -o "$N/x" M
      w hash --trace "x$N" -o "x$N" M; w hash --trace /dev/full M >/dev/null
      mkfifo "j$N"; w run --joblog "x$N" --trace "x$N" t -- true
      """#),
    MessageRow(
      "manifests",
      #"""
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
      """#),
    MessageRow(
      "verdicts",
      #"""
      chmod +w t; printf changed >"t/$N"; w check M; w check --summary M; rm -f "t/$N"; w check M
      w check --audit t M; printf new >"t/new$N"; w check --audit t --summary M
      mv "t/2$N" "t/moved$N"; w check --audit t --format text M "none$N"
      rm -f "t/moved$N"; mkfifo "t/2$N"; w check M; mkdir "$N"; cd "$N"; w check ../M
      """#),
    MessageRow(
      "entries of mtree",
      #"""
      w hash --format mtree -o m t; w check m; printf changed >"t/$N"; rm -f "t/2$N"
      mkdir "t/2$N"; w check m; rm -f "t/l$N"; ln -s "$N" "t/l$N"; w check m
      """#),
    MessageRow(
      "places",
      #"""
      mkdir "in$N"; mv t "in$N"; w check M; mv "in$N/t" .
      sed 's: t/: gone/t/:' M >K; w check K >/dev/null; mkdir y; cd y; w check ../M; cd ..
      mkdir "y$N"; cp M "y$N/K"; mv t "y$N"; w check "y$N/K"
      for i in 1 2 3 4 5 6 7 8 9 0; do cat M; done >K2; cat K2 K2 K2 K2 K2 K2 K2 K2 K2 K2 >K3
      cat K3 K3 K3 K3 K3 K3 K3 K3 K3 K3 >K4; w check K4
      """#),
    MessageRow(
      "output files",
      #"""
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
      """#),
    MessageRow(
      "records of other runs",
      #"""
      version=$(w --version | cut -d' ' -f2)
      head() { printf '#mtree v2.0 weir %s run %s\n' "$1" "$2" >"c$N.partial"; }
      head "9$(printf '\033]0;x')" path=t; w hash -o "c$N" --resume t
      head "$version" "$(printf 'k\033]0;x=t')"; w hash -o "c$N" --resume t
      head "$version" "$(printf 'path=\033]0;x')"; w hash -o "c$N" --resume t
      head "$version" "path=t algorithms=md5 directory=x"; w hash -o "c$N" --resume t
      head "$version" "$(printf 'directory=/\\033]0;x path=t exclude=\\033]0;x')"
      w hash -o "c$N" --resume t
      head "$version" "exclude=a exclude=b exclude=c exclude=d path=t"; w hash -o "c$N" --resume t
      """#),
    MessageRow(
      "runs that were interrupted",
      #"""
      mkfifo p; exec 5<>p
      stop() { { kill -TERM $1; wait $1; } 2>/dev/null; }
      until_partial() { for i in $(seq 1000); do [ -e "$1" ] && return; sleep 0.01; done; }
      "$W" hash --progress never -o "o$N" t p </dev/null & pid=$!; until_partial "o$N.partial"
      w hash -o "o$N" --resume t; stop $pid
      "$W" hash --progress never --trace "r$N" - <&5 & pid=$!; until_partial "r$N"
      kill -USR1 $pid 2>/dev/null; stop $pid
      "$W" run --progress never --joblog "j$N" t -- sh -c 'exec sleep 100' & pid=$!
      until_partial "j$N"
      w run --joblog "j$N" --resume t -- true; stop $pid
      "$W" duplicates --progress never --trace "d$N" --files-from p & pid=$!; until_partial "d$N"
      stop $pid
      """#),
  ]
}

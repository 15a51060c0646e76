// The table of messages: runs of commands, shards, and the drop-in tools.

extension MessageRow {
  static let runs = [
    MessageRow(
      "commands that fail",
      #"""
      w run t -- false; w run t -- sh -c 'kill -9 $$' "$N"
      w run --timeout 0.1 t -- sh -c 'exec sleep 100'
      w run --retries 1 t -- sh -c 'exit 3'; w run -n 9 t -- false; w run --halt soon t -- false
      w run t -- "./M"; w run --summary t -- true; w run --files-from "$N" -- true
      w run "t/f$N" "$N" -- true; printf 't/%s\000' "n$N" | "$W" run --files0-from - -- true
      """#),
    MessageRow(
      "job logs",
      #"""
      w run --joblog "j$N" t -- true; w run --joblog "j$N" t -- true
      w run --joblog "j$N" --resume t -- false
      printf 'Seq\tHost\n\033]0;x\n' >"k$N"; w run --joblog "k$N" --resume t -- true
      printf '\033]0;x\n' >"k$N"; w run --joblog "k$N" --resume t -- true
      w run --joblog "t/d$N" t -- true
      """#),
    MessageRow(
      "the output of commands", isFormat: true,
      #"""
      w run --format json t -- printf '\033]0;x\007\302\233\342\200\256\377\n%.0s'
      w hash --format json t; w count --format json t; w duplicates --format json t
      w check --format json M; printf x >"t/$N"; w check --format json --audit t M
      w hash --format mtree t; w hash -z t; w count t; w count -z t; w duplicates t
      w duplicates --hard-links t; w hash --tag t; w hash t; w hash --format json "$N" 2>/dev/null
      printf 'a\302\233b\177' >"$(printf 't/c\302\233\342\200\250\342\200\256\177')"
      w hash --format json t
      """#),
    MessageRow(
      "shards",
      #"""
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
      """#),
    MessageRow(
      "damaged parts",
      #"""
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
      """#),
    MessageRow(
      "parts of a command with hostile words",
      #"""
      q "$W" plan t --shards 2 -o "p$N"
      q "$W" run --plan "p$N" --shard 0/2 --out "o$N" -- true "$N"
      w merge --plan "p$N" "o$N"; q "$W" run --plan "p$N" --shard 1/2 --out q -- true "x$N"
      cp q/*part "o$N"; w merge --plan "p$N" "o$N"
      sed -i '1s/"verb":"run"/"verb":"ruin"/' "o$N"/*; w merge --plan "p$N" "o$N"
      w run --plan "p$N" --shard 1/2 --out "o$N" -- true "y$N"
      """#),
    MessageRow(
      "plans",
      #"""
      q "$W" plan t --shards 2 -o saved; p="p$N"
      h() { w hash --plan "$p" --shard 0/2 --out "o$N"; }
      printf '\033]0;x\n' >"$p"; h; w plan t --shards 2 -o "$p"; head -c 50 saved >"$p"; h
      head -c -1 saved >"$p"; h; (cat saved; echo z) >"$p"; h; sed '1s/2/9/' saved >"$p"; h
      sed '1s/"version":1/"version":99/' saved >"$p"; h; sed '2s/./X/10' saved >"$p"; h
      tr '0' '1' <saved >"$p"; h; w plan t --shards 2 -o "t/f$N"; w plan t --shards 2 -o "t/d$N"
      printf '%s\000' "t/$N" "t/n$N" | "$W" plan --files0-from - --shards 1 -o "q$N"
      w plan t "saved" --shards 2 -o saved; w plan --summary t --shards 2 -o v
      w plan "$p" --shards 2 -o "$p"
      """#),
  ]

  static let dropIns = [
    MessageRow(
      "GNU's tools", isFormat: true, prefix: nil,
      #"""
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
      """#)
  ]

  static let all = usage + files + runs + dropIns
}

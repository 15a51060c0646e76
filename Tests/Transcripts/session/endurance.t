Every verb at once, again and again, under limits of memory and descriptors, with signals and lost readers: no result is
wrong, and nothing is left. `make test-endurance` runs it for an hour, `make test` 24 commands.

An interrupted `weir run` writes the output of what has ended, with gaps; of the other verbs a part is a beginning.

## under pressure a result is right, a part of the right one, or refused with a reason
needs unsanitized bash
  $ mkdir t s; perl -e 'for (1..200) { open F, ">t/$_"; print F $_ % 7 x ($_*37%900); open F, ">s/" . $_ % 12; print F "$_\n" }'
  $ weir hash -o M t; weir plan --shards 1 -o P t >/dev/null; weir hash --plan P --shard 0/1 --out parts 2>/dev/null
  $ ln -s "$(command -v weir)" sha256sum; cat >verbs <<'END'
  > weir hash t
  > weir hash -a blake3,md5 --tag t
  > weir hash -o F t
  > weir check M
  > weir check --audit t M
  > weir count t
  > weir duplicates t
  > weir run s -- sh -c 'echo "$1"' sh {}
  > weir run --joblog F s -- true
  > weir merge --plan P parts
  > weir status --plan P parts
  > ./sha256sum -c M
  > END
  $ cat >work <<'END'
  > place=$1 RANDOM=$(($1 + $3)) end=$(($(date +%s) + $2)) left=6; mkdir $place
  > while [ $((left--)) -gt 0 ] || [ $(date +%s) -lt $end ]; do
  >   n=$((RANDOM % 12 + 1)) how=$((RANDOM % 8)) delay=0.0$((RANDOM % 30 + 10)) limits=
  >   command=$(sed -n "${n}p" verbs | sed "s, F , $place/F ,"); rm -f $place/F*
  >   [ $((RANDOM % 2)) = 0 ] && limits="ulimit -n $((RANDOM % 49 + 16));"
  >   [ $((RANDOM % 4)) = 0 ] && limits="$limits ulimit -v $(((RANDOM * 14 + RANDOM % 14) % 470000 + 30000));"
  >   case $how in
  >   2) bash -c "{ ($limits exec $command); echo \$? >$place/status; } 2>$place/err" | head -c 100 >$place/out; s=$(cat $place/status); s=${s:-127} ;;
  >   *) bash -c "$limits exec $command" >$place/out 2>$place/err & p=$!
  >     case $how in
  >     0) sleep $delay; kill -$(echo INT TERM HUP | cut -d ' ' -f $((RANDOM % 3 + 1))) $p ;;
  >     1) sleep $delay; kill -STOP $p; sleep $delay; kill -CONT $p ;;
  >     esac 2>/dev/null; wait $p; s=$? ;;
  >   esac
  >   size=$(wc -c <$place/out); is_part=$(cmp -n $size $place/out right$n >/dev/null 2>&1 && echo yes)
  >   case $command in 'weir run s '*)
  >     diff -a $place/out right$n >$place/diff; [ $? -lt 2 ] && ! grep -aq '^<' $place/diff && is_part=yes ;;
  >   esac
  >   case $limits in *-v*) memory=yes ;; *) memory= ;; esac
  >   if [ $s = $(cat status$n) ] && { [ $how = 2 ] || cmp -s $place/out right$n; }; then verdict=right
  >   elif [ $how = 2 ] && [ $s = 141 ] || [ $how = 0 ] && [ $s -ge 129 ] && [ "$is_part$memory" ]; then verdict=ended
  >   elif [ "$memory" ] && { [ $s -ge 127 ] || grep -q 'annot allocate memory\|temporarily unavailable\|no thread\|memory' $place/err; }
  >   then verdict=refused
  >   else verdict=wrong; echo "$command, how $how, $limits status $s"; head -n 3 $place/err; diff $place/out right$n | head -n 3; fi
  >   case $n in 1) grep -avxFf right1 $place/out | tail -n +2 ;; 3) [ ! -e $place/F ] || [ "$memory" ] || cmp $place/F M ;; esac
  >   echo $verdict >>verdicts
  > done; rm -r $place
  > END
  $ n=0; while read -r line; do n=$((n + 1)); bash -c "$(echo "$line" | sed 's/ F / x /')" >right$n 2>/dev/null </dev/null; echo $? >status$n
  >   rm -f x*; done <verbs; ls >before
  $ seconds=$((${WEIR_TEST_ENDURANCE:-0} * 60)); for i in 1 2 3 4; do
  >   bash work $i $seconds $WEIR_TEST_SEED </dev/null 2>/dev/null & done; wait; ls | grep -v verdicts | diff before -
  > sort verdicts | uniq -c | awk '$2 == "right" { print ($1 > 0) }'
  1

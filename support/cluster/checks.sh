# shellcheck shell=sh
# checks.sh: the checks of test-cluster.sh, in their order. Each compares the merged
# output of shards with that of one process. Sourced.

# shellcheck disable=SC2034
all_checks="tree array missing mpirun rank ssh refused check page"

# ---- the subject -------------------------------------------------------------

# The tree, what one process writes for it, and the plans.
check_tree() {
    files=100000
    LC_ALL=C awk -v root=tree -v files="$files" -f tree.awk
    mkdir want parts plans
    expect 0 weir hash tree
    mv log/out want/hash
    expect 0 weir plan tree --shards 12 -o plans/12
    expect 0 weir plan tree --shards 6 -o plans/6
    explain "one process: the manifest of $files files"
}

# merges PLAN PARTS WANT [STATUS]: fails if the merge differs from the output of one process.
merges() {
    expect "${4-0}" weir merge --plan "$1" "$2"
    same "$3" log/out
}

# parts DIRECTORY: prints the number of parts.
parts() {
    find "$1" -name '*.part' 2>/dev/null | wc -l
}

# attempts DIRECTORY: prints the number of unfinished attempts.
attempts() {
    find "$1" -name '*.tmp.*' 2>/dev/null | wc -l
}

# ---- shards that stop in the middle -------------------------------------------

# hold: each shard that held.sh starts from now on stops in the middle.
hold() {
    rm -rf released
    mkdir hold
}

# are_held NUMBER: true if this many shards have stopped.
are_held() {
    [ "$(grep -l 'stopped by SIGSTOP' hold/* | wc -l)" -eq "$1" ]
}

no_tracer() {
    ! pgrep -x strace
}

# continue_shards: continues the shards that have stopped, and stops no other.
continue_shards() {
    mv hold released
    pkill -x strace || :
    wait_for 10 no_tracer
    pkill -CONT -x weir || :
}

# ---- Slurm arrays ---------------------------------------------------------------

# submit NAME COMMAND: submits the command as an array of 12 tasks; prints its job.
submit() {
    sbatch --parsable --array=0-11 --open-mode=append --output="log/$1.%a" \
        --wrap "echo restarts: \${SLURM_RESTART_COUNT-none}, node: \$SLURMD_NODENAME
        exec $2"
}

has_ended() {
    [ -z "$(squeue -h -j "$1")" ]
}

# waits JOB TASK: true if Slurm has put the task back into the queue.
waits() {
    squeue -h -r -j "$1" -t PENDING -o %K | grep -qx "$2"
}

# run_again JOB TASK...: starts requeued tasks at once, not after Slurm's two minutes.
run_again() {
    requeued=$1
    shift
    for task; do
        wait_for 30 waits "$requeued" "$task"
        scontrol update "JobId=${requeued}_$task" StartTime=now
    done
}

# A node dies while all nodes are in the middle of two shards each.
check_array() {
    hold
    job=$(submit array "sh held.sh weir hash --plan plans/12 --shard auto --out parts/array")
    wait_for 60 are_held 6
    [ "$(parts parts/array) $(attempts parts/array)" = "0 6" ] ||
        bad "not in the middle: $(ls parts/array)"
    tasks=$(squeue -h -j "$job" -w n2 -o %K | sort -n | xargs)
    kill_node n2
    killed=$(seconds)
    continue_shards
    wait_for 90 node_is n2 down
    explain "Slurm array: node killed in the middle of shards $tasks, down after" \
        "$(since "$killed"), "
    # shellcheck disable=SC2086
    run_again "$job" $tasks
    wait_for 60 has_ended "$job"
    for task in $tasks; do
        has "log/array.$task" '^restarts: none, node: n2'
        has "log/array.$task" '^restarts: 1, node: n[13]'
    done
    merges plans/12 parts/array want/hash
    explain "run again elsewhere with SLURM_RESTART_COUNT=1: the same bytes"
    start_slurmd n2
    wait_for 30 node_is n2 idle
}

# Three parts are missing. The merge prints the line that makes them.
check_missing() {
    cp -r parts/array parts/missing
    rm parts/missing/shard-0000[489]-of-00012.part
    expect 3 weir merge --plan plans/12 parts/missing
    [ ! -s log/out ] || bad "an incomplete merge has written something"
    again=$(grep -o 'sbatch .*' log/err | head -n 1)
    case $again in
    *--array=4,8-9* | *--array=4,8,9*) ;;
    *) bad "no line that submits 4,8-9: $(cat log/err)" ;;
    esac
    expect 0 sh -c "$again"
    wait_for 60 has_ended "$(grep -o '[0-9]*$' log/out)"
    merges plans/12 parts/missing want/hash
    explain "3 parts deleted: merge exits 3 and prints: $again"
}

# ---- ranks ------------------------------------------------------------------------

mpi() {
    mpirun --oversubscribe --allow-run-as-root "$@"
}

check_mpirun() {
    expect 0 mpi -np 6 weir hash --plan plans/6 --shard auto --out parts/mpirun
    merges plans/6 parts/mpirun want/hash
    explain "mpirun -np 6: the same bytes"
}

# mpirun ends all ranks if one dies. The same line runs the missing shards.
check_rank() {
    hold
    mpi -np 6 sh held.sh weir hash --plan plans/6 --shard auto --out parts/rank \
        >log/rank 2>&1 &
    run=$!
    wait_for 60 are_held 6
    kill -9 "$(pgrep -n -x weir)"
    ! wait "$run" || bad "mpirun did not report the loss of a rank"
    continue_shards
    expect 3 weir merge --plan plans/6 parts/rank
    expect 0 mpi -np 6 weir hash --plan plans/6 --shard auto --out parts/rank
    merges plans/6 parts/rank want/hash
    explain "mpirun, a rank killed in the middle: all ranks end; the same line again:" \
        "the same bytes"
}

# ---- ssh ----------------------------------------------------------------------------

export PARALLEL_SSH="ssh -F /cluster/ssh/config"

# over_ssh COMMAND: runs the command with {} from 0 to 11, three at once on each host.
over_ssh() {
    seq 0 11 | parallel --will-cite --sshlogin 3/node-a,3/node-b --retries 3 \
        --joblog log/joblog --workdir /cluster "$1"
}

check_ssh() {
    hold
    over_ssh "sh held.sh weir hash --plan plans/12 --shard {}/12 --out parts/ssh --resume" \
        >log/ssh 2>&1 &
    run=$!
    wait_for 60 are_held 6
    kill_node node-b
    continue_shards
    wait "$run" || bad "parallel failed: $(cat log/ssh)"
    merges plans/12 parts/ssh want/hash
    [ "$(awk 'NR > 1 { print $2 }' log/joblog | sort -u)" = node-a ] ||
        bad "not all shards ended on node-a: $(cat log/joblog)"
    explain "parallel over ssh: host killed in the middle of three shards, all 12 ended on" \
        "the other: the same bytes"
    start_sshd node-b
    wait_for 30 ssh -F ssh/config node-b true
}

# ---- what must be refused ---------------------------------------------------------------

# refused_for WORDS COMMAND...: fails unless the command fails and its messages, or those of
# its job, have these words.
refused_for() {
    words=$1
    shift
    ! "$@" >log/out 2>log/err </dev/null || bad "was not refused: $*"
    cat log/refused.* >>log/err 2>/dev/null || :
    grep -q "$words" log/err || bad "refused without \"$words\": $* $(cat log/err)"
    rm -f log/refused.*
}

check_refused() {
    shard="weir hash --plan plans/6 --shard auto --out parts/refused"
    # shellcheck disable=SC2086
    {
        refused_for "6 shards, and [A-Z_]* is 4" srun -n4 $shard
        refused_for "6 shards, and OMPI_COMM_WORLD_SIZE is 4" mpi -np 4 $shard
    }
    refused_for "two launchers number this process" \
        sbatch --array=0-1 --wait --output=log/refused.%a \
        --wrap "mpirun --oversubscribe --allow-run-as-root -np 6 $shard"
    refused_for "no engine is detected" sbatch -n 6 --wait --output=log/refused.0 --wrap "$shard"
    [ "$(parts parts/refused)" -eq 0 ] || bad "it has written $(ls parts/refused)"
    explain "refused: 4 ranks for 6 shards, mpirun in an array task, sbatch -n 6 without srun"
}

# ---- a status of failure ---------------------------------------------------------------

# A manifest with a wrong digest. Its shard ends with status 1, as one process does. srun
# returns it; mpirun would end the other ranks at once, hence --exit-zero.
check_check() {
    sed '70000s/[0-9a-f]\{8\} /00000000 /' want/hash >want/wrong
    expect 1 weir check want/wrong
    mv log/out want/check
    shard="weir check --plan plans/6 --shard auto --out"
    # shellcheck disable=SC2086
    expect 1 srun -n6 -N3 $shard parts/check want/wrong
    merges plans/6 parts/check want/check 1
    # shellcheck disable=SC2086
    expect 0 mpi -np 6 $shard parts/status --exit-zero want/wrong
    merges plans/6 parts/status want/check 1
    explain "check of a wrong digest, srun and mpirun: the same bytes and status"
}

# ---- the lines of docs/cluster.md -------------------------------------------------------

# page HEADING PARTS: prints the first lines for a shell below a heading of docs/cluster.md, for
# twelve shards of the tree.
page() {
    awk -v heading="## $1" '$0 == heading { on = 1; next } on && /^    / { print; seen = 1; next }
        seen { exit }' cluster.md |
        sed "s|weir plan .*|weir plan tree --shards 12 -o set.plan|; s|set.plan|plans/page|g
            s|--out parts|--out $2|; s|plans/page parts|plans/page $2|; s|set.sha256|$2.sums|
            s|0-63|0-11|; s|seq 0 23|seq 0 11|; s|/24|/12|; s|,2/node-c||"
}

check_page() {
    page Slurm parts/slurm >slurm.sh
    expect 0 sh -c '. ./slurm.sh'
    wait_for 90 test -e parts/slurm.sums
    same want/hash parts/slurm.sums
    page "ssh: GNU parallel" parts/parallel >parallel.sh
    expect 0 sh -c '. ./parallel.sh'
    same want/hash parts/parallel.sums
    explain "the lines for Slurm and parallel of docs/cluster.md: the same bytes"
}

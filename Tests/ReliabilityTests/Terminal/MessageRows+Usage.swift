// The table of messages: mistakes in command lines, and the verbs on files.

extension MessageRow {
  static let usage = [
    MessageRow(
      "options",
      #"""
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
      """#),
    MessageRow(
      "plans and shards",
      #"""
      w plan; w plan --shards 2 -o "p$N"; w plan - --shards 2 -o x; w plan t --shards 2
      w plan "$N" --shards 2 -o x
      w plan t --shards 2 -o "$N/x"; w plan t --shards "$N" -o x; w merge; w merge --plan x
      w merge --plan x y "$N"; w status; w status --plan "$N" x; w merge --plan "$N" x
      w hash --plan x --shard 0/2; w hash --plan x --out x; w hash --out x
      w hash --plan "$N" --shard "$N" --out x; w hash --shard "$N" t; w hash --shard 3 t
      w hash --shard auto t; w count --plan x --shard 0/2 --out y t
      """#),
    MessageRow(
      "commands",
      #"""
      w run t; w run -- "$N"; w run t -- ''; w run t -- 'echo {}'"$N"; w run -n 2 t -- "{}$N"
      w run --resume t -- echo; w run --resume-failed t -- echo; w run "$N" -- true
      w run --joblog "$N/x" t -- echo; w run t -- "./$N"; w run t -- "$N a"
      w run -C "$N" t -- echo; TMPDIR="/$N" w run t -- true
      """#),
    MessageRow(
      "launchers",
      #"""
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
      """#),
    MessageRow(
      "the recorder", prefix: "weir: ",
      #"""
      export WEIR_TRACE="$N/x" WEIR_TRACE_EVENTS="$N"; w hash M >/dev/null
      WEIR_TRACE="t/$N"; WEIR_TRACE_EVENTS=5; w hash M >/dev/null
      """#),
  ]
}

// The help of the verb `submit`.

extension SubmitCommand {
  static let brief = """
    usage: weir submit ENGINE --plan FILE --out DIR [OPTION ...] --dry-run -- VERB
          --slurm, --pbs, --lsf  Print a script for an array of jobs
          --parallel         Print a script for GNU parallel, over ssh with --hosts
          --kubernetes       Print an Indexed Job
          --aws-batch        Print a script for an array job of AWS Batch
          --plan FILE        The plan
          --out DIR          The directory of the parts
      -o, --output FILE      The file that the merge writes
          --missing          Only the shards without a part in DIR
          --concurrent N     Number of shards at once; with --hosts, on each host
          --hosts LIST       The hosts for GNU parallel, such as a,b
          --image NAME       The image of the containers, with weir in it
          --dry-run          Print the script, and start nothing (required)
    \(OptionTable.commonBrief)
    """

  static let helpPage = """
    usage: weir submit ENGINE --plan FILE --out DIR [OPTION ...] --dry-run
                       -- VERB [OPTION ...]

    Print what to type so that a cluster runs the shards of a plan and merges their
    parts: a script with comments, or an object of Kubernetes. Nothing is started.
    VERB is hash, check, count, duplicates or run. Each task is one shard; a task of
    a machine that dies runs again and continues, and a task whose part exists ends
    at once. All names are printed as absolute names, in quotes for the shell.

    Engine:
          --slurm            An array of Slurm, and a merge that waits for it
          --parallel         GNU parallel, on this machine or over ssh
          --kubernetes       An Indexed Job of Kubernetes 1.29 or later
          --aws-batch        A job definition and an array job of AWS Batch
          --pbs              An array of PBS, and a merge that waits for it
          --lsf              An array of LSF, and a merge that waits for it

    Shards:
          --plan FILE        The plan, by weir plan
          --out DIR          The directory of the parts, which all machines share
      -o, --output FILE      The file that the merge writes; without it, the merge
                             is printed as a comment
          --missing          Only the shards without a part in DIR
          --concurrent N     Number of shards at once; with --parallel, on each host
                             [default: all, and 1 with --parallel]
          --hosts LIST       With --parallel, the hosts, separated by commas
          --image NAME       With --kubernetes and --aws-batch, the image of the
                             containers, with weir in it
          --dry-run          Print the script, and start nothing; required, since
                             submit only prints

    \(OptionTable.commonHelp)

    Exit status:
      0  Success
      2  Usage error, a plan or a directory that cannot be read, or the output could
         not be written

    Examples:
      weir submit --slurm --plan set.plan --out parts -o manifest \\
            --concurrent 8 --dry-run -- hash -a blake3 > job.sh
      weir submit --slurm --plan set.plan --out parts --missing --dry-run -- hash
      weir submit --parallel --hosts a,b --plan set.plan --out parts -o counts \\
            --dry-run -- count -l | sh
      weir submit --kubernetes --image registry/weir --plan /srv/set.plan \\
            --out /srv/parts --dry-run -- hash > job.yaml
    """
}

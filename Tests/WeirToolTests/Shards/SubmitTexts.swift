// The texts that weir submit prints for a plan of 64 shards.

@testable import WeirTool

enum SubmitTexts {
  static let all: [SubmitEngine: String] = [
    .slurm: slurm, .parallel: parallel, .kubernetes: kubernetes, .awsBatch: awsBatch, .pbs: pbs,
    .lsf: lsf,
  ]

  private static let slurm = #"""
    #!/bin/sh
    # 64 shards of /srv/plan, as an array of Slurm.
    # Each node needs weir in its PATH, and the files, the plan and the directory of the
    # parts under the same names.
    # SBATCH_PARTITION, SBATCH_ACCOUNT and SBATCH_TIMELIMIT apply to all jobs;
    # --cpus-per-task=N before --wrap gives N cores to a shard.
    set -eu

    # The parts, and the logs of the tasks.
    mkdir -p /srv/parts

    # A task for each shard, at most 8 at once.
    # If a node dies, Slurm queues its tasks again; the next attempt continues the one
    # before, and its messages follow in the same log.
    tasks=$(sbatch --parsable --job-name=weir-count \
        --array=0-63%8 --requeue --open-mode=append \
        --output=/srv/parts/slurm-%A_%a.log \
        --wrap='exec weir count --plan /srv/plan --shard auto --out /srv/parts --resume -l')
    tasks=${tasks%%;*}
    echo "array $tasks"

    # The merge, after all shards, whatever their exit status: 1 and 3 are results too.
    merge=$(sbatch --parsable --job-name=weir-merge --dependency="afterany:$tasks" \
        --requeue --open-mode=append \
        --output=/srv/parts/slurm-%j.log \
        --wrap='exec weir merge --plan /srv/plan -o /srv/counts /srv/parts')
    echo "merge ${merge%%;*}"

    """#

  private static let parallel = #"""
    #!/bin/sh
    # 64 shards of /srv/plan, by GNU parallel.
    # Each node needs weir in its PATH, and the files, the plan and the directory of the
    # parts under the same names.
    set -eu

    # The parts, and the log of the jobs.
    mkdir -p /srv/parts

    # 8 at once on each host.
    # A shard of a host that dies is tried again, up to 3 times in all; a shard that is
    # done ends at once.
    seq 0 63 |
        parallel --jobs 8 --sshlogin a,b --workdir /srv \
            --retries 3 --joblog /srv/parts/parallel.log \
            'weir count --plan /srv/plan --shard {}/64 --out /srv/parts --resume -l' ||
        [ $? -le 101 ] # failed shards are results too; the merge finds what is missing

    # The merge.
    weir merge --plan /srv/plan -o /srv/counts /srv/parts

    """#

  private static let kubernetes = #"""
    # 64 shards of /srv/plan, as an Indexed Job of
    # Kubernetes 1.29 or later: kubectl create -f FILE
    # To be changed: the claims of the volumes (ReadWriteMany), and the resources.
    # When kubectl get job weir-count shows no active pod, run with the same volumes:
    # weir merge --plan /srv/plan -o /srv/counts /srv/parts
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: weir-count
    spec:
      # Each index is a shard: JOB_COMPLETION_INDEX is 0 to 63.
      completionMode: Indexed
      completions: 64
      # The number of shards at once.
      parallelism: 8
      # Each shard has its own attempts after the first.
      backoffLimitPerIndex: 3
      podFailurePolicy:
        rules:
          # The loss of a node is no failure of a shard.
          - action: Ignore
            onPodConditions:
              - type: DisruptionTarget
                status: "True"
          # Exit statuses 1 and 3 are results, 2 is a mistake: no other attempt. The
          # index counts as failed; whether its part is there, the merge knows.
          - action: FailIndex
            onExitCodes:
              containerName: weir
              operator: In
              values: [1, 2, 3]
      template:
        spec:
          # Needed for attempts by index.
          restartPolicy: Never
          containers:
            - name: weir
              image: "registry/weir:1"
              command:
                - "weir"
                - "count"
                - "--plan"
                - "/srv/plan"
                - "--shard"
                - "auto"
                - "--out"
                - "/srv/parts"
                - "--resume"
                - "-l"
              resources:
                requests:
                  cpu: "2"
                  memory: 1Gi
              volumeMounts:
                - name: files-1
                  mountPath: "/srv"
          volumes:
            # The claim of the volume with the content of
            # /srv.
            - name: files-1
              persistentVolumeClaim:
                claimName: weir-files-1

    """#

  private static let awsBatch = #"""
    #!/bin/sh
    # 64 shards of /srv/plan, by AWS Batch.
    # The image needs weir in its PATH. To be changed: the queue, the file system, its
    # directory for each containerPath (rootDirectory), and the cores and MiB of a shard.
    set -eu
    queue=${WEIR_QUEUE:-weir}
    volume=${WEIR_VOLUME:-fs-00000000}

    # The definition of the job. Exit statuses 1 and 3 are results, 2 is a mistake: no
    # other attempt. After a lost machine, the next attempt continues.
    aws batch register-job-definition --job-definition-name weir-count --type container \
        --retry-strategy '{"attempts":3,"evaluateOnExit":[
            {"onExitCode":"1","action":"EXIT"},
            {"onExitCode":"2","action":"EXIT"},
            {"onExitCode":"3","action":"EXIT"}]}' \
        --container-properties '{
      "image": "registry/weir:1",
      "command": [
        "weir",
        "count",
        "--plan",
        "/srv/plan",
        "--shard",
        "auto",
        "--out",
        "/srv/parts",
        "--resume",
        "-l"
      ],
      "resourceRequirements": [
        {"type": "VCPU", "value": "2"}, {"type": "MEMORY", "value": "2048"}
      ],
      "volumes": [
        {"name": "files-1", "efsVolumeConfiguration":
          {"fileSystemId": "'"$volume"'", "rootDirectory": "/"}}
      ],
      "mountPoints": [
        {"sourceVolume": "files-1", "containerPath": "/srv"}
      ]
    }'

    # One child for each shard: AWS_BATCH_JOB_ARRAY_INDEX is 0 to 63.
    aws batch submit-job --job-name weir-count --job-queue "$queue" \
        --job-definition weir-count --array-properties size=64 \
        --query jobId --output text

    # When aws batch describe-jobs shows SUCCEEDED or FAILED, run with the same volumes:
    # weir merge --plan /srv/plan -o /srv/counts /srv/parts

    """#

  private static let pbs = #"""
    #!/bin/sh
    # 64 shards of /srv/plan, as an array of PBS.
    # Each node needs weir in its PATH, and the files, the plan and the directory of the
    # parts under the same names.
    # PBS starts the jobs in this directory, and leaves their logs in it.
    set -eu

    # The parts.
    mkdir -p /srv/parts

    # A task for each shard, at most 8 at once.
    # If a node dies, PBS runs its tasks again (-r y), and the next attempt continues the
    # one before. PBS_ARRAY_INDEX counts from 0.
    # %8 needs OpenPBS 20 or PBS Pro 2020; others refuse it.
    task='cd "$PBS_O_WORKDIR" &&
    exec weir count --plan /srv/plan --shard auto --index-base 0 --out /srv/parts --resume -l'
    tasks=
    tasks=$tasks:$(printf '%s\n' "$task" |
        qsub -N weir-count -J 0-63%8 -S /bin/sh -r y -j oe)
    echo "tasks $tasks"

    # The merge, after all shards, whatever their exit status: 1 and 3 are results too.
    printf '%s\n' 'exec weir merge --plan /srv/plan -o /srv/counts /srv/parts' |
        qsub -N weir-merge -W depend="afterany$tasks" -S /bin/sh -r y -j oe

    """#

  private static let lsf = #"""
    #!/bin/sh
    # 64 shards of /srv/plan, as an array of LSF.
    # Each node needs weir in its PATH, and the files, the plan and the directory of the
    # parts under the same names.
    set -eu

    # The parts, and the logs of the tasks.
    mkdir -p /srv/parts

    # A task for each shard, at most 8 at once.
    # If a node dies, LSF runs its tasks again (-r), and the next attempt continues the one
    # before. LSB_JOBINDEX counts from 1: index 1 is shard 0.
    task='exec weir count --plan /srv/plan --shard auto --index-base 1 --out /srv/parts --resume -l'
    tasks=
    job=$(bsub -J 'weir-count[1-64]%8' -r \
        -o /srv/parts/lsf-%J-%I.log "$task")
    job=${job#*<} # from "Job <20> is submitted"
    job=${job%%>*}
    tasks="${tasks:+$tasks && }ended($job)"
    echo "tasks $tasks"

    # The merge, after all shards, whatever their exit status: 1 and 3 are results too.
    bsub -J weir-merge -w "$tasks" -r \
        -o /srv/parts/lsf-%J.log \
        'exec weir merge --plan /srv/plan -o /srv/counts /srv/parts'

    """#
}

// The Indexed Job for Kubernetes, as YAML.

extension Submission {
  /// Returns the Indexed Job for Kubernetes.
  func kubernetes() throws(UsageError) -> String {
    let mounts = try mounts()
    let words = command(shard: "auto")
    try requireText(words + mounts + [image])
    // Kubernetes replaces $(NAME) in words, and $$ by $.
    let command = words.map {
      "            - \(Submission.json(ShellText.replacing("$", in: $0, with: "$$")))"
    }
    let places = mounts.enumerated().map { index, mount in
      """
                  - name: files-\(index + 1)
                    mountPath: \(Submission.json(mount))
      """
    }
    let volumes = mounts.enumerated().map { index, mount in
      """
              # The claim of the volume with the content of
              # \(ShellText.shown(mount)).
              - name: files-\(index + 1)
                persistentVolumeClaim:
                  claimName: weir-files-\(index + 1)
      """
    }
    let part =
      isWhole
      ? ""
      : "# All \(shards) indexes start; those whose part exists end at once.\n"
        + "# kubectl replace --force -f FILE puts the job in the place of an earlier one.\n"
    return """
      # \(shownShards) of \(ShellText.shown(plan)), as an Indexed Job of
      # Kubernetes 1.29 or later: kubectl create -f FILE
      # To be changed: the claims of the volumes (ReadWriteMany), and the resources.
      \(part)# When kubectl get job \(name) shows no active pod, run with the same volumes:
      # \(ShellText.shown(merge))
      apiVersion: batch/v1
      kind: Job
      metadata:
        name: \(name)
      spec:
        # Each index is a shard: JOB_COMPLETION_INDEX is 0 to \(shards - 1).
        completionMode: Indexed
        completions: \(shards)
        # The number of shards at once.
        parallelism: \(min(concurrent ?? shards, shards))
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
                image: \(Submission.json(image))
                command:
      \(command.joined(separator: "\n"))
                resources:
                  requests:
                    cpu: "2"
                    memory: 1Gi
                volumeMounts:
      \(places.joined(separator: "\n"))
            volumes:
      \(volumes.joined(separator: "\n"))

      """
  }
}

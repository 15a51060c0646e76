// The number of cores that a launcher gives to a shard.

import TestSupport
import Testing

@testable import WeirTool

@Suite(.timeLimit(.minutes(2)))
struct ShardWidthTests {
  @Test(
    "--jobs, then the task's cores, then those of the node if it has one task, then OpenMP's",
    arguments: [
      ([:], nil, "affinity and quota"),
      (["SLURM_CPUS_PER_TASK": "4", "SLURM_CPUS_ON_NODE": "8"], 4, "SLURM_CPUS_PER_TASK"),
      (["SLURM_CPUS_ON_NODE": "8"], nil, "affinity and quota"),
      (["SLURM_CPUS_ON_NODE": "8", "SLURM_TASKS_PER_NODE": "1"], 8, "SLURM_CPUS_ON_NODE"),
      (["SLURM_CPUS_ON_NODE": "8", "SLURM_TASKS_PER_NODE": "1(x3)"], 8, "SLURM_CPUS_ON_NODE"),
      (["SLURM_CPUS_ON_NODE": "8", "SLURM_TASKS_PER_NODE": "2(x3)"], nil, "affinity and quota"),
      (["SLURM_CPUS_ON_NODE": "8", "SLURM_TASKS_PER_NODE": "1,2"], nil, "affinity and quota"),
      (["SLURM_CPUS_ON_NODE": "8", "SLURM_TASKS_PER_NODE": "1(x2),1"], 8, "SLURM_CPUS_ON_NODE"),
      (["SLURM_CPUS_ON_NODE": "8", "SLURM_TASKS_PER_NODE": ""], nil, "affinity and quota"),
      (["SLURM_CPUS_ON_NODE": "8", "SLURM_TASKS_PER_NODE": "12"], nil, "affinity and quota"),
      // A step of four tasks in a job that was submitted for one a node.
      (
        [
          "SLURM_CPUS_ON_NODE": "8", "SLURM_TASKS_PER_NODE": "1",
          "SLURM_STEP_TASKS_PER_NODE": "4", "OMP_NUM_THREADS": "2",
        ], 2, "OMP_NUM_THREADS"
      ),
      (["OMP_NUM_THREADS": "3"], 3, "OMP_NUM_THREADS"),
      (["OMP_NUM_THREADS": "4,2"], 4, "OMP_NUM_THREADS"),
      (["SLURM_CPUS_PER_TASK": "0", "OMP_NUM_THREADS": "many"], nil, "affinity and quota"),
      (["SLURM_CPUS_PER_TASK": "9999"], 256, "SLURM_CPUS_PER_TASK"),
    ] as [([String: String], Int?, String)])
  func order(environment: [String: String], cores: Int?, words: String) {
    let width = ShardWidth.choose(jobs: nil, environment: environment, limit: 256)
    #expect(width == ShardWidth(cores: cores, words: words))
    let own = ShardWidth.choose(jobs: 7, environment: environment, limit: 256)
    #expect(own == ShardWidth(cores: 7, words: "--jobs"))
  }
}

// The launchers that number their tasks, as a table: variables, conditions and words.

/// A launcher that starts many tasks and tells each its number through the environment.
struct LaunchEngine: Sendable {
  /// The unit that a launcher numbers.
  enum Level: String, CaseIterable {
    /// The processes of one parallel job, all started at once.
    case rank
    /// The jobs of an array, each started on its own.
    case array
  }

  /// The number of tasks, as the launcher reports it.
  enum Count {
    /// No variable has the number of all tasks. SLURM_ARRAY_TASK_COUNT, for instance, is 2
    /// after `--array=3,7`.
    case unknown
    /// The variable has the number if it is set.
    case optional(String)
    /// The variable has the number, and the index means nothing without it.
    case required(String)
  }

  /// The attempt of a task: the value of a variable and the value of the first attempt.
  struct Attempt {
    let variable: String
    let first: Int
  }

  /// The form of the words on an index, such as `20_3` or `12[3]`.
  struct JobForm {
    let variable: String
    let open: String
    var close = ""
  }

  /// The name in messages, such as `slurm array`.
  let name: String
  let level: Level
  /// The variable with the index.
  let index: String
  var count = Count.unknown
  /// A variable that must be above 1, if the index belongs to several tasks.
  var severalTasks: String?
  /// The value of the index variable in a job that is no array.
  var absent: String?
  /// The indexes with which a launcher can begin.
  var bases = 0...0
  /// The index with which it begins if the user does not say; `nil` if that is unknown.
  var base: Int? = 0
  var attempt: Attempt?
  var job: JobForm?
  /// The beginning of a sentence on the number of tasks, and their noun.
  var started = ("the launcher started", "rank", "ranks")

  /// All launchers. Of several that number ranks, the first one counts: `mpirun` starts its
  /// daemons through `srun`, whose variables reach the ranks too.
  static let all: [LaunchEngine] = [
    LaunchEngine(
      name: "open mpi", level: .rank, index: "OMPI_COMM_WORLD_RANK",
      count: .required("OMPI_COMM_WORLD_SIZE"), started: ("mpirun started", "rank", "ranks")),
    // MPICH and Intel MPI; srun sets the same variables with --mpi=pmi2.
    LaunchEngine(
      name: "pmi", level: .rank, index: "PMI_RANK", count: .required("PMI_SIZE")),
    // Each batch script has SLURM_PROCID=0, although it is no step of several tasks.
    LaunchEngine(
      name: "srun", level: .rank, index: "SLURM_PROCID", count: .required("SLURM_STEP_NUM_TASKS"),
      severalTasks: "SLURM_STEP_NUM_TASKS", attempt: slurmAttempt,
      started: ("srun started", "task", "tasks")),
    LaunchEngine(
      name: "slurm array", level: .array, index: "SLURM_ARRAY_TASK_ID", bases: 0...Int.max,
      attempt: slurmAttempt, job: JobForm(variable: "SLURM_ARRAY_JOB_ID", open: "_")),
    LaunchEngine(name: "kubernetes", level: .array, index: "JOB_COMPLETION_INDEX"),
    LaunchEngine(
      name: "aws batch", level: .array, index: "AWS_BATCH_JOB_ARRAY_INDEX",
      count: .optional("AWS_BATCH_JOB_ARRAY_SIZE"),
      attempt: Attempt(variable: "AWS_BATCH_JOB_ATTEMPT", first: 1),
      started: ("the array of AWS Batch has", "child", "children")),
    LaunchEngine(
      name: "cloud run", level: .array, index: "CLOUD_RUN_TASK_INDEX",
      count: .required("CLOUD_RUN_TASK_COUNT"),
      attempt: Attempt(variable: "CLOUD_RUN_TASK_ATTEMPT", first: 0),
      started: ("Cloud Run started", "task", "tasks")),
    LaunchEngine(
      name: "pbs array", level: .array, index: "PBS_ARRAY_INDEX", bases: 0...Int.max, base: nil),
    LaunchEngine(
      name: "torque array", level: .array, index: "PBS_ARRAYID", bases: 0...Int.max, base: nil),
    LaunchEngine(
      name: "lsf array", level: .array, index: "LSB_JOBINDEX", absent: "0",
      bases: 1...Int.max, base: nil, job: JobForm(variable: "LSB_JOBID", open: "[", close: "]")),
    LaunchEngine(
      name: "sge array", level: .array, index: "SGE_TASK_ID", absent: "undefined",
      bases: 1...Int.max, base: nil, job: JobForm(variable: "JOB_ID", open: ".")),
  ]

  private static let slurmAttempt = Attempt(variable: "SLURM_RESTART_COUNT", first: 0)

  /// The variables of this launcher.
  var variables: [String] {
    var names = [index, severalTasks, attempt?.variable, job?.variable].compactMap { $0 }
    switch count {
    case .unknown: break
    case .optional(let name), .required(let name): names.append(name)
    }
    return names
  }
}

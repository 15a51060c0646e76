// Stubs of the programs of engines, which record how they are called.

import TestSupport
import Testing

/// A directory with a plan, and stubs of the programs of engines.
struct SubmitStage {
  let directory: TemporaryDirectory
  let plan: [UInt8]
  let parts: [UInt8]

  /// Records its words. It runs at once what an engine would run later.
  private static let stub = """
    #!/bin/sh
    name=${0##*/}
    printf '%s\\0' "$(($# + 1))" "$name" "$@" >>"$LOG"
    for last do :; done
    case $name in
    sbatch)
        echo '20;cluster'
        for word do
            case $word in --wrap=*) sh -c "${word#--wrap=}" ;; esac
        done ;;
    qsub)
        echo '20[].server'
        PBS_O_WORKDIR=$PWD sh ;;
    bsub)
        echo 'Job <20> is submitted to default queue <normal>.'
        sh -c "$last" ;;
    parallel)
        while read -r number; do
            before=${last%%"{}"*}
            after=${last#*"{}"}
            case $before$after in
            *"{"[}.#%/=+0-9-]*) echo "a placeholder: $before$after" >&2; exit 9 ;;
            esac
            sh -c "$before$number$after"
        done ;;
    aws)
        echo job ;;
    esac

    """

  init(
    shards: Int, plan: [UInt8] = Array("set.plan".utf8), parts: [UInt8] = Array("parts".utf8),
    root: String = "/srv/data"
  ) throws {
    directory = try TemporaryDirectory()
    self.plan = plan
    self.parts = parts
    let zeros = Array(repeating: "0", count: shards).joined(separator: ",")
    let id = String(repeating: "0", count: 64)
    let header =
      "{\"format\":\"weir plan\",\"version\":1,\"plan\":\"\(id)\",\"shards\":\(shards),"
      + "\"by\":\"size\",\"root\":\"\(root)\",\"files\":0,\"bytes\":0,\"entries\":0,"
      + "\"length\":0,\"unreadable\":0,\"filtered\":0,\"excluded\":0,"
      + "\"named\":{\"bytes\":0,\"other\":false,\"single\":false},"
      + "\"shard_files\":[\(zeros)],\"shard_bytes\":[\(zeros)]}\n"
    try directory.write(Array(header.utf8), to: plan)
    try directory.makeDirectory(parts)
    try directory.makeDirectory("bin")
    for name in ["sbatch", "qsub", "bsub", "parallel", "aws", "weir"] {
      try directory.write(Self.stub, to: "bin/\(name)")
      try directory.setMode("bin/\(name)", 0o755)
    }
  }

  /// The absolute name of a file of the stage.
  func absolute(_ name: [UInt8]) -> [UInt8] { directory.path + Array("/".utf8) + name }

  /// Makes the part of a shard: its first line and its end, which are all that is looked at.
  func makePart(_ shard: Int, of shards: Int) throws {
    func five(_ number: Int) -> String {
      String(repeating: "0", count: 5 - String(number).count) + "\(number)"
    }
    let name = "/shard-\(five(shard))-of-\(five(shards)).part"
    let line =
      "{\"format\":\"weir part\",\"version\":1,\"plan\":\"\(String(repeating: "0", count: 64))\","
      + "\"shard\":\(shard),\"shards\":\(shards),\"verb\":\"hash\",\"words\":[],\"engine\":\"\","
      + "\"attempt\":1}\n"
    let end = #"{"records":0,"items":0,"differences":0,"unreadable":0,"sha256":""}"#
    let length = [UInt8(end.utf8.count), 0, 0, 0]
    let block = Array("WEND".utf8) + length + Array(repeating: 0, count: 8) + Array(end.utf8)
    try directory.write(
      Array(line.utf8) + block + length + Array("WPRT".utf8), to: parts + Array(name.utf8))
  }

  /// Runs `weir submit` with the plan and the parts.
  func submit(_ options: [String], _ words: [[UInt8]] = words("hash")) async throws -> Outcome {
    let own = [Array("--plan".utf8), plan, Array("--out".utf8), parts]
    let end = [Array("--dry-run".utf8), Array("--".utf8)]
    var line = [Array("submit".utf8)]
    for option in options { line.append(Array(option.utf8)) }
    line += own
    line += end
    line += words
    return try await weir(line, in: directory).run()
  }

  /// Runs a script with the stubs. Returns their calls.
  func calls(of script: [UInt8], by shell: String) async throws -> [[[UInt8]]] {
    try directory.write(script, to: Array("script".utf8))
    try directory.write("", to: "log")
    let run = "PATH=\"$1/bin:$PATH\" LOG=\"$1/log\"; export PATH LOG; exec \"$2\" ./script"
    let result = try await other(
      "sh", words("-c", run, "sh") + [directory.path, Array(shell.utf8)], in: directory
    ).run()
    #expect(result.status == 0 && result.errorText.isEmpty, "\(result.errorText)")
    let log = try await other("cat", words("log"), in: directory).run().output
    var rest = log.split(separator: 0, omittingEmptySubsequences: false).map(Array.init)[...]
    var calls: [[[UInt8]]] = []
    while let count = rest.popFirst().flatMap({ Int(String(decoding: $0, as: UTF8.self)) }) {
      calls.append(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    return calls
  }
}

// A fixed scenario, as each format of weir/trace.h writes it.
import CWeir
import Testing

extension Recorder {
  /// Two jobs on lanes, the second never ends; a gate of two permits with a waiting thread, a
  /// time-out and a waiting request; a dropped job; a group; another gate of the same name.
  static func ofTheStory() -> Recorder {
    let recorder = Recorder()
    #expect(recorder.start() == 0)
    let lanes: UInt64 = 16, group: UInt64 = 48, gate: UInt64 = 32, second: UInt64 = 64
    let first: [Telling] = [
      Telling(1000, WEIR_TRACE_SUBMIT, lanes, "lanes", 1, 1),
      Telling(2000, WEIR_TRACE_SUBMIT, lanes, "lanes", 2, 1),
      Telling(2500, WEIR_TRACE_SUBMIT, lanes, "lanes", 3, 1),
      Telling(3000, WEIR_TRACE_ENTER, group, "group", 0, 1),
      Telling(20000, WEIR_TRACE_CANCEL, lanes, "lanes", 3, 1),
      Telling(21000, WEIR_TRACE_NOTE, 0, "a \"note\"", 5, 6),
    ]
    let worker: [Telling] = [
      Telling(4001, WEIR_TRACE_START, lanes, "lanes", 1, 1),
      Telling(5000, WEIR_TRACE_ACQUIRED, gate, "gate", 0, 2),
      Telling(6000, WEIR_TRACE_SIGNAL, gate, "gate", 0, 2),
      Telling(6100, WEIR_TRACE_WAKE, gate, "gate", 1, 1, lane: 1),
      Telling(6200, WEIR_TRACE_WAKE, gate, "gate", 3, 1, lane: 1),
      Telling(9000, WEIR_TRACE_END, lanes, "lanes", 1, 1),
      Telling(9500, WEIR_TRACE_LEAVE, group, "group", 0, 0),
      Telling(10000, WEIR_TRACE_START, lanes, "lanes", 2, 1),
    ]
    let waiter: [Telling] = [
      Telling(5500, WEIR_TRACE_WAIT, gate, "gate", 1, 1),
      Telling(7000, WEIR_TRACE_ACQUIRED, gate, "gate", 1, 1),
      Telling(8000, WEIR_TRACE_SIGNAL, gate, "gate", 0, 1),
      Telling(12000, WEIR_TRACE_ACQUIRED, second, "gate", 0, 1),
    ]
    let others: [Telling] = [
      Telling(5600, WEIR_TRACE_WAIT, gate, "gate", 2, 2),
      Telling(5800, WEIR_TRACE_TIMED_OUT, gate, "gate", 2, 2),
      Telling(5900, WEIR_TRACE_WAIT, gate, "gate", 3, 1, lane: 1),
      Telling(5950, WEIR_TRACE_NOTE, 0, "goes on", 0, 0),
      Telling(13000, WEIR_TRACE_WAIT, second, "gate", 1, 4),
    ]
    for events in [first, worker, waiter, others] {
      inAThread { for event in events { tell(event) } }
    }
    let last = Telling(6300, WEIR_TRACE_ACQUIRED, gate, "gate", 3, 1)
    inAThread { tell(last) }
    recorder.stop()
    return recorder
  }
}

let storyAsLines = #"""
  {"t":0,"ev":"submit","thr":1,"q":"lanes","obj":1,"task":1,"v":1,"jobs":{"queued":1,"running":0}}
  {"t":1000,"ev":"submit","thr":1,"q":"lanes","obj":1,"task":2,"v":1,"jobs":{"queued":2,"running":0}}
  {"t":1500,"ev":"submit","thr":1,"q":"lanes","obj":1,"task":3,"v":1,"jobs":{"queued":3,"running":0}}
  {"t":2000,"ev":"enter","thr":1,"q":"group","obj":2,"v":1}
  {"t":3001,"ev":"start","thr":2,"q":"lanes","obj":1,"task":1,"lane":0,"v":1,"jobs":{"queued":2,"running":1}}
  {"t":4000,"ev":"acquired","thr":2,"q":"gate","obj":3,"v":2,"sem":{"free":0,"waiting":0}}
  {"t":4500,"ev":"wait","thr":3,"q":"gate","obj":3,"task":1,"v":1,"sem":{"free":0,"waiting":1}}
  {"t":4600,"ev":"wait","thr":4,"q":"gate","obj":3,"task":2,"v":2,"sem":{"free":0,"waiting":2}}
  {"t":4800,"ev":"timeout","thr":4,"q":"gate","obj":3,"task":2,"v":2,"sem":{"free":0,"waiting":1}}
  {"t":4900,"ev":"wait","thr":4,"q":"gate","obj":3,"task":3,"lane":1,"v":1,"sem":{"free":0,"waiting":2}}
  {"t":4950,"ev":"note","thr":4,"q":"goes on","v":0}
  {"t":5000,"ev":"signal","thr":2,"q":"gate","obj":3,"v":2,"woken":true,"sem":{"free":2,"waiting":2}}
  {"t":5100,"ev":"wake","thr":2,"q":"gate","obj":3,"task":1,"v":1,"sem":{"free":1,"waiting":1}}
  {"t":5200,"ev":"wake","thr":2,"q":"gate","obj":3,"task":3,"v":1,"sem":{"free":0,"waiting":0}}
  {"t":5300,"ev":"acquired","thr":5,"q":"gate","obj":3,"task":3,"v":1,"sem":{"free":0,"waiting":0}}
  {"t":6000,"ev":"acquired","thr":3,"q":"gate","obj":3,"task":1,"v":1,"sem":{"free":0,"waiting":0}}
  {"t":7000,"ev":"signal","thr":3,"q":"gate","obj":3,"v":1,"woken":false,"sem":{"free":1,"waiting":0}}
  {"t":8000,"ev":"end","thr":2,"q":"lanes","obj":1,"task":1,"lane":0,"v":1,"jobs":{"queued":2,"running":0}}
  {"t":8500,"ev":"leave","thr":2,"q":"group","obj":2,"v":0}
  {"t":9000,"ev":"start","thr":2,"q":"lanes","obj":1,"task":2,"lane":0,"v":1,"jobs":{"queued":1,"running":1}}
  {"t":11000,"ev":"acquired","thr":3,"q":"gate","obj":4,"v":1,"sem":{"free":0,"waiting":0}}
  {"t":12000,"ev":"wait","thr":4,"q":"gate","obj":4,"task":1,"v":4,"sem":{"free":0,"waiting":1}}
  {"t":19000,"ev":"cancel","thr":1,"q":"lanes","obj":1,"task":3,"v":1,"jobs":{"queued":0,"running":1}}
  {"t":20000,"ev":"note","thr":1,"q":"a \"note\"","task":5,"v":6}
  """#

let storyAsEvents = #"""
  {"displayTimeUnit":"ms","traceEvents":[
  {"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"thread 1"}},
  {"ph":"M","pid":1,"tid":1,"name":"thread_sort_index","args":{"sort_index":1}},
  {"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"thread 2"}},
  {"ph":"M","pid":1,"tid":2,"name":"thread_sort_index","args":{"sort_index":2}},
  {"ph":"M","pid":1,"tid":3,"name":"thread_name","args":{"name":"thread 3"}},
  {"ph":"M","pid":1,"tid":3,"name":"thread_sort_index","args":{"sort_index":3}},
  {"ph":"M","pid":1,"tid":4,"name":"thread_name","args":{"name":"thread 4"}},
  {"ph":"M","pid":1,"tid":4,"name":"thread_sort_index","args":{"sort_index":4}},
  {"ph":"M","pid":1,"tid":5,"name":"thread_name","args":{"name":"thread 5"}},
  {"ph":"M","pid":1,"tid":5,"name":"thread_sort_index","args":{"sort_index":5}},
  {"ph":"b","pid":1,"tid":1,"ts":0,"cat":"life","id2":{"local":"0x1"},"name":"lanes 1"},
  {"ph":"b","pid":1,"tid":1,"ts":0,"cat":"life","id2":{"local":"0x1"},"name":"pending"},
  {"ph":"X","pid":1,"tid":1,"ts":0,"cat":"point","name":"submit lanes 1","dur":1,"bind_id":"0x5","flow_out":true,"args":{"count":1}},
  {"ph":"C","pid":1,"tid":0,"ts":0,"name":"lanes","args":{"queued":1,"running":0}},
  {"ph":"b","pid":1,"tid":1,"ts":1,"cat":"life","id2":{"local":"0x2"},"name":"lanes 2"},
  {"ph":"b","pid":1,"tid":1,"ts":1,"cat":"life","id2":{"local":"0x2"},"name":"pending"},
  {"ph":"X","pid":1,"tid":1,"ts":1,"cat":"point","name":"submit lanes 2","dur":0.500,"bind_id":"0x14","flow_out":true,"args":{"count":1}},
  {"ph":"C","pid":1,"tid":0,"ts":1,"name":"lanes","args":{"queued":2,"running":0}},
  {"ph":"b","pid":1,"tid":1,"ts":1.500,"cat":"life","id2":{"local":"0x3"},"name":"lanes 3"},
  {"ph":"b","pid":1,"tid":1,"ts":1.500,"cat":"life","id2":{"local":"0x3"},"name":"pending"},
  {"ph":"X","pid":1,"tid":1,"ts":1.500,"cat":"point","name":"submit lanes 3","dur":0.500,"args":{"count":1}},
  {"ph":"C","pid":1,"tid":0,"ts":1.500,"name":"lanes","args":{"queued":3,"running":0}},
  {"ph":"i","pid":1,"tid":1,"ts":2,"cat":"mark","name":"enter group","s":"t","args":{"task":0,"value":1}},
  {"ph":"C","pid":1,"tid":0,"ts":2,"name":"group","args":{"outstanding":1}},
  {"ph":"e","pid":1,"tid":2,"ts":3.001,"cat":"life","id2":{"local":"0x1"},"name":"pending"},
  {"ph":"b","pid":1,"tid":2,"ts":3.001,"cat":"life","id2":{"local":"0x1"},"name":"running"},
  {"ph":"X","pid":1,"tid":2,"ts":3.001,"cat":"job","name":"lanes 1","dur":4.999,"bind_id":"0x5","flow_in":true,"args":{"lane":0}},
  {"ph":"C","pid":1,"tid":0,"ts":3.001,"name":"lanes","args":{"queued":2,"running":1}},
  {"ph":"X","pid":1,"tid":2,"ts":4,"cat":"point","name":"acquired gate","dur":1,"args":{"count":2}},
  {"ph":"C","pid":1,"tid":0,"ts":4,"name":"gate","args":{"free":0,"waiting":0}},
  {"ph":"X","pid":1,"tid":3,"ts":4.500,"cat":"wait","name":"wait gate","dur":1.500,"args":{"count":1,"result":"acquired"}},
  {"ph":"C","pid":1,"tid":0,"ts":4.500,"name":"gate","args":{"free":0,"waiting":1}},
  {"ph":"X","pid":1,"tid":4,"ts":4.600,"cat":"wait","name":"wait gate","dur":0.200,"args":{"count":2,"result":"timed out"}},
  {"ph":"C","pid":1,"tid":0,"ts":4.600,"name":"gate","args":{"free":0,"waiting":2}},
  {"ph":"i","pid":1,"tid":4,"ts":4.800,"cat":"mark","name":"timed out gate","s":"t","args":{"task":2,"value":2}},
  {"ph":"C","pid":1,"tid":0,"ts":4.800,"name":"gate","args":{"free":0,"waiting":1}},
  {"ph":"b","pid":1,"tid":4,"ts":4.900,"cat":"wait","id2":{"local":"0xa"},"name":"gate 3"},
  {"ph":"C","pid":1,"tid":0,"ts":4.900,"name":"gate","args":{"free":0,"waiting":2}},
  {"ph":"i","pid":1,"tid":4,"ts":4.950,"cat":"mark","name":"goes on","s":"t","args":{"task":0,"value":0}},
  {"ph":"X","pid":1,"tid":2,"ts":5,"cat":"point","name":"signal gate","dur":0.100,"args":{"count":2}},
  {"ph":"C","pid":1,"tid":0,"ts":5,"name":"gate","args":{"free":2,"waiting":2}},
  {"ph":"X","pid":1,"tid":2,"ts":5.100,"cat":"point","name":"wake gate","dur":0.100,"bind_id":"0x10","flow_out":true,"args":{"count":1}},
  {"ph":"C","pid":1,"tid":0,"ts":5.100,"name":"gate","args":{"free":1,"waiting":1}},
  {"ph":"X","pid":1,"tid":2,"ts":5.200,"cat":"point","name":"wake gate","dur":1,"bind_id":"0xf","flow_out":true,"args":{"count":1}},
  {"ph":"C","pid":1,"tid":0,"ts":5.200,"name":"gate","args":{"free":0,"waiting":0}},
  {"ph":"e","pid":1,"tid":5,"ts":5.300,"cat":"wait","id2":{"local":"0xa"},"name":"gate 3"},
  {"ph":"X","pid":1,"tid":5,"ts":5.300,"cat":"point","name":"acquired gate","dur":1,"bind_id":"0xf","flow_in":true,"args":{"count":1}},
  {"ph":"C","pid":1,"tid":0,"ts":5.300,"name":"gate","args":{"free":0,"waiting":0}},
  {"ph":"X","pid":1,"tid":3,"ts":6,"cat":"point","name":"acquired gate","dur":1,"bind_id":"0x10","flow_in":true,"args":{"count":1}},
  {"ph":"C","pid":1,"tid":0,"ts":6,"name":"gate","args":{"free":0,"waiting":0}},
  {"ph":"X","pid":1,"tid":3,"ts":7,"cat":"point","name":"signal gate","dur":1,"args":{"count":1}},
  {"ph":"C","pid":1,"tid":0,"ts":7,"name":"gate","args":{"free":1,"waiting":0}},
  {"ph":"e","pid":1,"tid":2,"ts":8,"cat":"life","id2":{"local":"0x1"},"name":"running"},
  {"ph":"e","pid":1,"tid":2,"ts":8,"cat":"life","id2":{"local":"0x1"},"name":"lanes 1"},
  {"ph":"C","pid":1,"tid":0,"ts":8,"name":"lanes","args":{"queued":2,"running":0}},
  {"ph":"i","pid":1,"tid":2,"ts":8.500,"cat":"mark","name":"leave group","s":"t","args":{"task":0,"value":0}},
  {"ph":"C","pid":1,"tid":0,"ts":8.500,"name":"group","args":{"outstanding":0}},
  {"ph":"e","pid":1,"tid":2,"ts":9,"cat":"life","id2":{"local":"0x2"},"name":"pending"},
  {"ph":"b","pid":1,"tid":2,"ts":9,"cat":"life","id2":{"local":"0x2"},"name":"running"},
  {"ph":"B","pid":1,"tid":2,"ts":9,"cat":"job","name":"lanes 2","args":{"lane":0}},
  {"ph":"X","pid":1,"tid":2,"ts":9,"cat":"point","name":"start lanes 2","dur":1,"bind_id":"0x14","flow_in":true,"args":{"count":1}},
  {"ph":"C","pid":1,"tid":0,"ts":9,"name":"lanes","args":{"queued":1,"running":1}},
  {"ph":"X","pid":1,"tid":3,"ts":11,"cat":"point","name":"acquired gate #2","dur":1,"args":{"count":1}},
  {"ph":"C","pid":1,"tid":0,"ts":11,"name":"gate #2","args":{"free":0,"waiting":0}},
  {"ph":"B","pid":1,"tid":4,"ts":12,"cat":"wait","name":"wait gate #2","args":{"count":4,"result":"none"}},
  {"ph":"C","pid":1,"tid":0,"ts":12,"name":"gate #2","args":{"free":0,"waiting":1}},
  {"ph":"i","pid":1,"tid":1,"ts":19,"cat":"mark","name":"cancel lanes","s":"t","args":{"task":3,"value":1}},
  {"ph":"e","pid":1,"tid":1,"ts":19,"cat":"life","id2":{"local":"0x3"},"name":"pending"},
  {"ph":"n","pid":1,"tid":1,"ts":19,"cat":"life","id2":{"local":"0x3"},"name":"cancelled"},
  {"ph":"e","pid":1,"tid":1,"ts":19,"cat":"life","id2":{"local":"0x3"},"name":"lanes 3"},
  {"ph":"C","pid":1,"tid":0,"ts":19,"name":"lanes","args":{"queued":0,"running":1}},
  {"ph":"i","pid":1,"tid":1,"ts":20,"cat":"mark","name":"a \"note\"","s":"t","args":{"task":5,"value":6}}
  ]}
  """#

// A programmer's error for swift-log, before Weir traps. The hook is a C function for the
// whole process, so the closure captures nothing.

import CWeir
import Logging

func logMisuse() {
  _ = weir_misuse_set_handler { sentence in
    Logger(label: "weir").critical("\(String(cString: sentence))")
  }
}

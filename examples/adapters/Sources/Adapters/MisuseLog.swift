// A programmer's error to swift-log, before Weir traps. The hook is C's: it is
// for the whole process, and captures nothing.

import CWeir
import Logging

func logMisuse() {
  _ = weir_misuse_set_handler { sentence in
    Logger(label: "weir").critical("\(String(cString: sentence))")
  }
}

// Quality of service, as C has it.

internal import CWeir
internal import Dispatch

extension DispatchQoS.QoSClass {
  /// The C constant; 0 where nothing was asked for.
  var cValue: dispatch_qos_class_t {
    let value =
      switch self {
      case .background: QOS_CLASS_BACKGROUND
      case .utility: QOS_CLASS_UTILITY
      case .default: QOS_CLASS_DEFAULT
      case .userInitiated: QOS_CLASS_USER_INITIATED
      case .userInteractive: QOS_CLASS_USER_INTERACTIVE
      case .unspecified: QOS_CLASS_UNSPECIFIED
      @unknown default: QOS_CLASS_UNSPECIFIED
      }
    return dispatch_qos_class_t(value)
  }
}

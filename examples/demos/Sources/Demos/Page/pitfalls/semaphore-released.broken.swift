// A screen that is closed while a download has a permit of its service.

import Dispatch

private final class Service {
  let permits = DispatchSemaphore(value: 3)
}

func semaphoreReleasedBroken() {
  var service: Service? = Service()
  service?.permits.wait()
  print("a download has 1 of 3 permits")
  service = nil
  print("the service is gone")
}

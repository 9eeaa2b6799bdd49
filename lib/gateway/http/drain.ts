// The state of shutting down: what runs is finished, what is new is refused.

import { setMaxListeners } from "node:events";
import { onceKept } from "@/lib/base/process-singleton";

const drain = onceKept("gateway drain", createDrain);

function createDrain(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal); // one for each open stream of a page
  return controller;
}

/** From now on new requests get 503 SHUTTING_DOWN; those under way are finished. */
export function refuseNewRequests(): void {
  drain().abort();
}

/** True once new requests are refused. */
export const isDraining = (): boolean => drain().signal.aborted;

/** Aborts when the process begins to shut down: for what would otherwise never end by itself. */
export const drainSignal = (): AbortSignal => drain().signal;

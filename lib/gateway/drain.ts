// The state of shutting down: what runs is finished, what is new is refused.

import { once } from "@/lib/base/once";

const drain = () => once("gateway drain", () => ({ draining: false }));

/** From now on new requests get 503 SHUTTING_DOWN; those under way are finished. */
export function refuseNewRequests(): void {
  drain().draining = true;
}

/** True once new requests are refused. */
export const isDraining = (): boolean => drain().draining;

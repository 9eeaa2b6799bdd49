// Whether payouts may be signed at all: not while less lies on the chains than is owed.

import { listSettings } from "@/lib/db/settings";

/** Written by whoever compares what is owed with what is there; its value says why. */
const PAYOUTS_STOPPED = "payouts_stopped";

/** False while something says that there is less money than is owed. Nothing that is signed already is stopped by it. */
export async function isPayoutAllowed(): Promise<boolean> {
  return !(await listSettings(PAYOUTS_STOPPED)).some(({ name, value }) => name === PAYOUTS_STOPPED && value !== "");
}

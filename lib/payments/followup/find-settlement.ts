// A facilitator's settlement may be on the chain a moment after its answer: it is looked for a few times.

import { setTimeout as sleep } from "node:timers/promises";
import type { SettledAt } from "../settlement/settlement-strategy";

interface Patience {
  looks: number;
  everyMs: number;
}

/** Null when none of the looks found it. */
export async function findSettlement(find: () => Promise<SettledAt | null>, { looks, everyMs }: Patience): Promise<SettledAt | null> {
  for (let look = 1; ; look++) {
    const found = await find();
    if (found || look >= looks) return found;
    await sleep(everyMs);
  }
}

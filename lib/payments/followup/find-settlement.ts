// Polls for a facilitator's settlement: it may reach the chain shortly after the facilitator's answer.

import { setTimeout as sleep } from "node:timers/promises";
import type { SettledAt } from "../settlement/settlement-strategy";

interface Patience {
  looks: number;
  everyMs: number;
}

/** Null when no look found it. */
export async function findSettlement(find: () => Promise<SettledAt | null>, { looks, everyMs }: Patience): Promise<SettledAt | null> {
  for (let look = 1; ; look++) {
    const found = await find();
    if (found || look >= looks) return found;
    await sleep(everyMs);
  }
}

// Who a settlement contract of this service pays and who alone may call it: handed over by whoever holds the seed at its start, and
// written down for processes that do not.

import type { Hex } from "viem";
import { writeSetting } from "@/lib/db/settings";

export const SETTLEMENT_PARTIES = "settlement parties";

export async function writeSettlementParties({ treasury, relayer }: { treasury: Hex; relayer: Hex }): Promise<void> {
  await writeSetting(SETTLEMENT_PARTIES, JSON.stringify({ treasury: treasury.toLowerCase(), relayer: relayer.toLowerCase() }));
}

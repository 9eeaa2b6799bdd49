// Who a settlement contract of this service pays and who alone may call it: the process with the seed hands both over at its start,
// and they are stored for processes without it.

import type { Hex } from "viem";
import { writeSetting } from "@/lib/db/settings";

export const SETTLEMENT_PARTIES = "settlement parties";

export async function writeSettlementParties({ treasury, relayer }: { treasury: Hex; relayer: Hex }): Promise<void> {
  await writeSetting(SETTLEMENT_PARTIES, JSON.stringify({ treasury: treasury.toLowerCase(), relayer: relayer.toLowerCase() }));
}

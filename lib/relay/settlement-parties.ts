// The treasury that this service's settlement contract pays, and the relayer that alone may call it. The process with the seed stores both
// at startup, for processes without it.

import type { Hex } from "viem";
import { writeSetting } from "@/lib/db/settings";

export const SETTLEMENT_PARTIES = "settlement parties";

export async function writeSettlementParties({ treasury, relayer }: { treasury: Hex; relayer: Hex }): Promise<void> {
  await writeSetting(SETTLEMENT_PARTIES, JSON.stringify({ treasury: treasury.toLowerCase(), relayer: relayer.toLowerCase() }));
}

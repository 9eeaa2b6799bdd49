// The terms of the settlement contract. Its address follows from them, so no setting names it. A process with the seed stores its part; a
// process without it reads them.

import type { Hex } from "viem";
import { z } from "zod";
import { nowMs } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { processSingleton } from "@/lib/base/process-singleton";
import { baseChainId } from "@/lib/chains/evm/base";
import type { SettlementTerms } from "@/lib/chains/evm/settlement";
import { usdcAddress } from "@/lib/chains/evm/usdc";
import { databaseUrl } from "@/lib/db/database-url";
import { listSettings } from "@/lib/db/settings";
import { SETTLEMENT_PARTIES } from "@/lib/relay/settlement-parties";

const address = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/)
  .transform((text) => text as Hex);
const partiesForm = z.object({ treasury: address, relayer: address });

const known = processSingleton<{ databaseUrl?: string; terms?: SettlementTerms; readAtMs: number }>("settlement terms", () => ({
  readAtMs: 0,
}));

/** A rotated relayer has another contract: every process offers it soon after the process with the seed starts. */
const READ_EVERY_MS = 5_000;

/** Null before the first start with a seed. @throws Error when the treasury is not the settings' */
export async function findSettlementTerms(): Promise<SettlementTerms | null> {
  const held = known();
  const isFresh = Math.abs(nowMs() - held.readAtMs) < READ_EVERY_MS;
  if (held.terms && isFresh && held.databaseUrl === databaseUrl()) return held.terms;
  const written = (await listSettings(SETTLEMENT_PARTIES)).find(({ name }) => name === SETTLEMENT_PARTIES);
  if (!written) return null;
  const { treasury, relayer } = partiesForm.parse(JSON.parse(written.value));
  const { MODE, TREASURY_BASE_ADDRESS: pinned, SERVICE_NAME: serviceName } = config();
  // An attacker with write access to the database could name another contract than payers trust.
  if (MODE === "live" && pinned?.toLowerCase() !== treasury)
    throw new Error("TREASURY_BASE_ADDRESS does not match the treasury in the database.");
  const terms = { serviceName, usdc: usdcAddress(baseChainId()).toLowerCase() as Hex, treasury, relayer };
  Object.assign(held, { databaseUrl: databaseUrl(), terms, readAtMs: nowMs() });
  return terms;
}

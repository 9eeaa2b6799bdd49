// The terms that a payer on Solana signs: the recipient, the token and the fee payer. A process with the seed stores them; a process
// without it reads them.

import { z } from "zod";
import { config } from "@/lib/base/config";
import { processSingleton } from "@/lib/base/process-singleton";
import type { PaymentTerms } from "@/lib/chains/solana/payment-transaction";
import { USDC_MINT } from "@/lib/chains/solana/usdc";
import { solanaKey } from "@/lib/chains/wallet";
import { databaseUrl } from "@/lib/db/database-url";
import { listSettings } from "@/lib/db/settings";
import { SPONSORED_PARTIES } from "@/lib/relay/sponsor";

const address = z.string().refine((text) => solanaKey(text) !== null);
const partiesForm = z.object({ sponsor: address, treasury: address, mint: address });

const known = processSingleton<{ databaseUrl?: string; terms?: PaymentTerms }>("payment terms on Solana", () => ({}));

/** Null before the first start with a seed. @throws Error when the treasury is not the settings', or the token not Circle's, in live mode */
export async function findSvmTerms(): Promise<PaymentTerms | null> {
  const held = known();
  if (held.terms && held.databaseUrl === databaseUrl()) return held.terms;
  const written = (await listSettings(SPONSORED_PARTIES)).find(({ name }) => name === SPONSORED_PARTIES);
  if (!written) return null;
  const { sponsor, treasury, mint } = partiesForm.parse(JSON.parse(written.value));
  const { MODE, TREASURY_SOLANA_ADDRESS: pinned } = config();
  // An attacker with write access to the database could redirect payments to another recipient or token.
  if (MODE === "live" && (pinned !== treasury || mint !== USDC_MINT))
    throw new Error("TREASURY_SOLANA_ADDRESS does not match the treasury in the database, or the database names a token that is not USDC.");
  const terms = { feePayer: sponsor, mint, payTo: treasury };
  Object.assign(held, { databaseUrl: databaseUrl(), terms });
  return terms;
}

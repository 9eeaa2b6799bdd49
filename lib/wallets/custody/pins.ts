// The public halves of the seed that the settings pin, so that neither a database nor a mistaken file can bring in another seed.

import { config } from "@/lib/base/config";
import type { Treasury } from "./signer";

/** True when CUSTODY_XPUB is unset or equals `xpub`. A sandbox creates its own seed and pins none. */
export function isPinned(xpub: string): boolean {
  const { CUSTODY_XPUB: pinned, MODE } = config();
  return MODE !== "live" || pinned === undefined || pinned === xpub;
}

/** @throws Error that says what to do when the settings pin another seed */
export function refuseUnpinned({ fingerprint, xpub, treasury }: { fingerprint: string; xpub: string; treasury: Treasury }): void {
  const { MODE, TREASURY_BASE_ADDRESS: base, TREASURY_SOLANA_ADDRESS: solana } = config();
  if (!isPinned(xpub)) {
    throw new Error(
      `CUSTODY_XPUB does not match this database's seed (fingerprint ${fingerprint}). ` +
        "If you changed the seed yourself, correct CUSTODY_XPUB. If not, someone may have changed the database: investigate before you start.",
    );
  }
  if (MODE !== "live" || (base?.toLowerCase() === treasury.base.toLowerCase() && solana === treasury.solana)) return;
  throw new Error(
    `TREASURY_BASE_ADDRESS and TREASURY_SOLANA_ADDRESS do not match the seed ${fingerprint}. If this is the right seed, and ` +
      "npm run custody -- verify prints the same addresses, set:\n" +
      `  TREASURY_BASE_ADDRESS=${treasury.base}\n  TREASURY_SOLANA_ADDRESS=${treasury.solana}`,
  );
}

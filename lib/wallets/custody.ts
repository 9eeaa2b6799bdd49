// Which seed a database's addresses come from: written at the first start with a seed, and compared at every later one.

import { now } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { USDC_MINT } from "@/lib/chains/solana/usdc";
import { pool, type Queryable } from "@/lib/db/pool";
import type { Signer } from "./signer";

export interface Custody {
  fingerprint: string;
  xpub: string;
  /** The Solana mint that token accounts are for. */
  usdcMint: string;
  /** The first derivation index that has never been made. */
  nextIndex: number;
}

/** What the database knows of its seed; null before the first start with one. */
export async function findCustody(from: Queryable = pool()): Promise<Custody | null> {
  const { rows } = await from.query<Custody>(`SELECT fingerprint, xpub, usdc_mint AS "usdcMint", next_index AS "nextIndex" FROM custody`);
  return rows[0] ?? null;
}

/**
 * Makes the database remember the signer's seed, for ever.
 * @throws Error that says what to do when it remembers another one
 */
export async function registerSeed(signer: Signer): Promise<void> {
  const { fingerprint, xpub, usdcMint } = signer;
  await pool().query("INSERT INTO custody (fingerprint, xpub, usdc_mint, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO NOTHING", [
    fingerprint,
    xpub,
    usdcMint,
    now(),
  ]);
  await checkSeed(signer);
}

/** @throws Error that says what to do when the database remembers another seed than the signer's */
export async function checkSeed({ fingerprint, xpub, usdcMint }: Signer): Promise<void> {
  const known = await findCustody();
  if (known?.fingerprint === fingerprint && known.xpub === xpub && known.usdcMint === usdcMint) return;
  throw new Error(
    `This database's addresses come from the seed ${known?.fingerprint}, and the one given is ${fingerprint}. ` +
      (config().MODE === "live"
        ? "Name the right file in CUSTODY_SEED_FILE, or restore it from its words: npm run custody -- restore"
        : "Restore custody-seed.json and secrets.json in DATA_DIR, or give DATABASE_URL another database."),
  );
}

/** The mint that people are asked to send. In live mode Circle's own: whoever can write to the database could name another. */
export const payableMint = (custody: Custody): string => (config().MODE === "live" ? USDC_MINT : custody.usdcMint);

/** True when CUSTODY_XPUB, where it is set, is `xpub`. A sandbox makes its own seed and pins none. */
export function isPinned(xpub: string): boolean {
  const { CUSTODY_XPUB: pinned, MODE } = config();
  return MODE !== "live" || pinned === undefined || pinned === xpub;
}

/** @throws Error that says what to do when the database's xpub is not the pinned one */
export async function checkPin(): Promise<void> {
  const custody = await findCustody();
  if (custody === null || isPinned(custody.xpub)) return;
  throw new Error(
    `CUSTODY_XPUB: this database's addresses come from another seed (fingerprint ${custody.fingerprint}). ` +
      "If you did not change the seed yourself, somebody wrote into the database: find out before you start. Else correct CUSTODY_XPUB.",
  );
}

// The seed that a database's addresses come from: recorded at the first start with a seed, and compared at every later one.

import type { Hex } from "viem";
import { recordAudit } from "@/lib/audit/record";
import { now } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { log } from "@/lib/base/observe/log";
import { USDC_MINT } from "@/lib/chains/solana/usdc";
import { type Database, inTransaction, prisma } from "@/lib/db/prisma";
import { refuseUnpinned } from "./pins";
import type { Signer, Treasury } from "./signer";

export interface Custody {
  fingerprint: string;
  xpub: string;
  /** The Solana mint that token accounts are for. */
  usdcMint: string;
  treasury: Treasury;
  /** Pays for gas on Base. */
  relayer: { base: Hex };
  /** Pays the fees of payments on Solana. */
  sponsor: { solana: string };
  /** The next derivation index to create. */
  nextIndex: number;
}

/** The database's record of its seed; null before the first start with one. */
export async function findCustody(database: Database = prisma()): Promise<Custody | null> {
  const row = await database.custody.findFirst();
  if (!row) return null;
  const { fingerprint, xpub, usdcMint, nextIndex, treasuryBase, treasurySolana, relayerBase, sponsorSolana } = row;
  return {
    fingerprint,
    xpub,
    usdcMint,
    nextIndex,
    treasury: { base: treasuryBase as Hex, solana: treasurySolana },
    relayer: { base: relayerBase as Hex },
    sponsor: { solana: sponsorSolana },
  };
}

/**
 * Binds the database to the signer's seed, permanently.
 * @throws Error that says what to do when it is bound to another seed, or when the settings pin another
 */
export async function registerSeed(signer: Signer): Promise<void> {
  if ((await findCustody()) === null) {
    refuseUnpinned(signer); // before the database is bound to a wrong seed
    await insertCustody(signer);
  }
  await checkSeed(signer);
  await recordRelayer(signer.relayer.address);
}

/** The operator has given the relayer another key of the seed (RELAYER_INDEX). Transactions of the former key are followed to their end. */
async function recordRelayer(relayerBase: Hex): Promise<void> {
  const former = (await findCustody())?.relayer.base;
  if (former === undefined || former === relayerBase) return;
  await inTransaction(async (transaction) => {
    const { count } = await transaction.custody.updateMany({ where: { relayerBase: former }, data: { relayerBase } });
    if (count === 0) return; // another process recorded it
    const change = { before: { relayer: former }, after: { relayer: relayerBase } };
    await recordAudit({ accountId: null, kind: "relayer.changed", subject: null, ...change }, transaction);
  });
  log().warn({ relayer: relayerBase, former }, "the relayer on Base is another one from now on, with a settlement contract of its own");
}

async function insertCustody({ fingerprint, xpub, usdcMint, treasury, relayer, sponsor }: Signer): Promise<void> {
  const treasuries = { treasuryBase: treasury.base, treasurySolana: treasury.solana };
  const feePayers = { relayerBase: relayer.address, sponsorSolana: sponsor.address };
  // Of two concurrent first starts, one writes the row.
  await prisma().custody.createMany({
    data: [{ fingerprint, xpub, usdcMint, ...treasuries, ...feePayers, createdAt: now() }],
    skipDuplicates: true,
  });
}

/** The public values of a signer's or a database's seed, for comparison by line. The relayer may be another one of the same seed. */
export const publicHalf = (seed: Signer | Custody): Readonly<Record<string, string>> => ({
  fingerprint: seed.fingerprint,
  xpub: seed.xpub,
  usdcMint: seed.usdcMint,
  "treasury on Base": seed.treasury.base,
  "treasury on Solana": seed.treasury.solana,
  "sponsor on Solana": "address" in seed.sponsor ? seed.sponsor.address : seed.sponsor.solana,
});

/** @throws Error that says what to do when the database is bound to another seed than the signer's */
export async function checkSeed(signer: Signer): Promise<void> {
  const known = await findCustody();
  const given = publicHalf(signer);
  if (known && Object.entries(publicHalf(known)).every(([name, value]) => given[name] === value)) return;
  throw new Error(
    `This database uses the seed ${known?.fingerprint}, but the configured seed is ${signer.fingerprint}. ` +
      (config().MODE === "live"
        ? "Set CUSTODY_SEED_FILE to the right file, or restore it from the 24 words: npm run custody -- restore"
        : "Restore custody-seed.json and secrets.json in DATA_DIR, or set DATABASE_URL to another database."),
  );
}

/**
 * The mint of the token that customers should send. In live mode always Circle's: an attacker who can write to the database could name
 * another.
 */
export const payableMint = (custody: Custody): string => (config().MODE === "live" ? USDC_MINT : custody.usdcMint);

/** @throws Error that says what to do when the settings pin another seed than the database's */
export async function checkPins(): Promise<void> {
  const custody = await findCustody();
  if (custody) refuseUnpinned(custody);
}

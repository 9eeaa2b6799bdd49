// Addresses created in advance for new accounts. The signer keeps the pool filled, and corrects rows that it did not create; any number of
// signers of the same seed may do so concurrently, and no derivation index is ever created twice.

import { setImmediate as otherWork } from "node:timers/promises";
import { config } from "@/lib/base/config";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { processSingleton } from "@/lib/base/process-singleton";
import { inTransaction, prisma } from "@/lib/db/prisma";
import { isSignerUnavailable } from "@/lib/relay/signer-unavailable";
import { type AttestedAddresses, addressesOf, rowOf } from "./addresses";
import { checkSeed, findCustody } from "./custody";
import { type Signer, signer } from "./signer";

const LIVE_SIZE = 1_000;
/** Fewer: in a sandbox the signer and the web server share a process, and a new sandbox has few accounts. */
const SANDBOX_SIZE = 50;

/** Enough for the demo account and the first sign-ins. */
const FIRST_ADDRESSES = 3;
/** A run starts no batch after this time, which would delay a shutdown. */
const LAST_BATCH_AFTER_MS = 3_000;
const BATCH = 25;

const poolSize = (): number => config().ADDRESS_POOL_SIZE ?? (config().MODE === "live" ? LIVE_SIZE : SANDBOX_SIZE);

/**
 * Corrects rows that the signer did not create, and creates addresses until enough are free or the run's time is over.
 * @throws Error in a process without a signer, or when the database's seed is no longer the signer's
 */
export async function fillAddressPool(): Promise<void> {
  const held = signer();
  await checkSeed(held); // at every run: otherwise an attacker who can write the xpub could bring in their own addresses
  await deleteUnmade();
  try {
    await repairForged(held, await listFree());
    await addUntil(held, poolSize());
  } catch (error) {
    if (!isSignerUnavailable(error)) throw error; // it is reported, and the next run continues
  }
  metrics().addressPoolFree.set(await prisma().addressPool.count());
}

/** A first start waits for this; at a later one the addresses exist already. @throws SignerUnavailable when some are missing */
export async function createFirstAddresses(): Promise<void> {
  await addUntil(signer(), Math.min(FIRST_ADDRESSES, poolSize()));
}

async function addUntil(held: Signer, size: number): Promise<void> {
  let free = await prisma().addressPool.count();
  const until = performance.now() + LAST_BATCH_AFTER_MS;
  while (free < size && performance.now() < until) {
    const count = Math.min(BATCH, size - free);
    if (!(await addAddresses(held, count))) break; // another signer is filling
    free += count;
  }
}

const listFree = async (): Promise<AttestedAddresses[]> => (await prisma().addressPool.findMany()).map(addressesOf);

/** False when another signer took the first index meanwhile: the addresses are discarded. */
async function addAddresses(held: Signer, count: number): Promise<boolean> {
  const from = (await findCustody())?.nextIndex ?? 0;
  const made: AttestedAddresses[] = [];
  while (made.length < count) {
    made.push(await held.deriveAddresses(from + made.length));
    await otherWork(); // a row takes milliseconds of CPU; this lets requests run in between
  }
  return inTransaction(async (transaction) => {
    const moved = await transaction.custody.updateMany({
      where: { nextIndex: from, fingerprint: held.fingerprint },
      data: { nextIndex: from + count },
    });
    if (moved.count === 0) return false;
    await transaction.addressPool.createMany({ data: made.map(rowOf) });
    return true;
  });
}

/** Rows verified as the signer's own, so that each is derived again once, not at every run. */
const seenRows = processSingleton("address pool rows", () => ({ authentic: new Set<string>() }));

async function repairForged(held: Signer, rows: readonly AttestedAddresses[]): Promise<void> {
  const authentic = new Set<string>();
  for (const row of rows) authentic.add(seenRows().authentic.has(textOf(row)) ? textOf(row) : await checkRow(held, row));
  seenRows().authentic = authentic;
}

/** Resolves with the correct row as text. */
async function checkRow(held: Signer, row: AttestedAddresses): Promise<string> {
  await otherWork();
  const right = await held.deriveAddresses(row.index);
  if (textOf(right) !== textOf(row)) {
    await overwrite(right);
    log().error(
      { derivationIndex: row.index },
      "corrected an address in the pool that the seed did not derive: someone changed the database",
    );
  }
  return textOf(right);
}

/** Deletes rows whose index the signer has not created yet, or whose wallet is assigned: they would block it. */
async function deleteUnmade(): Promise<void> {
  // In one statement: otherwise a row that another signer adds in between would be deleted as not created.
  const rows = await prisma().$queryRaw<{ index: number }[]>`
    DELETE FROM address_pool p WHERE p.derivation_index >= (SELECT c.next_index FROM custody c)
      OR EXISTS (SELECT FROM custodial_wallet w WHERE w.derivation_index = p.derivation_index)
    RETURNING p.derivation_index AS "index"`;
  if (rows.length > 0)
    log().error({ derivationIndexes: rows.map((row) => row.index) }, "found rows in the address pool that the signer did not create");
}

const textOf = ({ attestation, ...row }: AttestedAddresses): string =>
  [row.index, row.baseAddress, row.solanaAddress, row.solanaTokenAccount, attestation.toString("hex")].join(" ");

async function overwrite(right: AttestedAddresses): Promise<void> {
  const { derivationIndex, ...data } = rowOf(right);
  await prisma().addressPool.updateMany({ where: { derivationIndex }, data });
}

/** False when the pool is empty: new customers cannot sign in until the signer has created more. */
export async function hasFreeAddress(): Promise<boolean> {
  return (await prisma().addressPool.findFirst({ select: { derivationIndex: true } })) !== null;
}

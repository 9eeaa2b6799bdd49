// Addresses made ahead of their accounts. The signer keeps the pool filled, and puts right what is not its own work; any number
// of signers of the same seed may do so at once, and no derivation index is ever made twice.

import { setImmediate as otherWork } from "node:timers/promises";
import { config } from "@/lib/base/config";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { once } from "@/lib/base/process-singleton";
import { pool } from "@/lib/db/pool";
import type { AttestedAddresses } from "./addresses";
import { checkSeed, findCustody } from "./custody";
import { type Signer, signer } from "./signer";

const LIVE_SIZE = 1_000;
/** Fewer: the signer and the web share a sandbox's process, and a new one has few accounts. */
const SANDBOX_SIZE = 50;

/** Enough for a demo account and the first sign-ins. */
const FIRST_ADDRESSES = 3;
/** No batch begins later in a run, which would hold up a shutdown. */
const LAST_BATCH_AFTER_MS = 3_000;
const BATCH = 25;

const poolSize = (): number => config().ADDRESS_POOL_SIZE ?? (config().MODE === "live" ? LIVE_SIZE : SANDBOX_SIZE);

/**
 * Puts right what is not the signer's own work, and makes addresses until enough are free, or for as long as a run may.
 * @throws Error in a process without a signer, or when the database's seed is no longer the signer's
 */
export async function fillAddressPool(): Promise<void> {
  const held = signer();
  await checkSeed(held); // at every run: whoever can write the xpub could otherwise bring addresses of their own
  await deleteUnmade();
  await repairForged(held, await listFree());
  metrics().addressPoolFree.set(await addUntil(held, poolSize()));
}

/** What a first start waits for; at any later one the addresses are there already. */
export async function makeFirstAddresses(): Promise<void> {
  await addUntil(signer(), Math.min(FIRST_ADDRESSES, poolSize()));
}

/** Resolves with how many are free. */
async function addUntil(held: Signer, size: number): Promise<number> {
  let free = await countFree();
  const until = performance.now() + LAST_BATCH_AFTER_MS;
  while (free < size && performance.now() < until) {
    const count = Math.min(BATCH, size - free);
    if (!(await addAddresses(held, count))) break; // another signer is at it
    free += count;
  }
  return free;
}

const columns = `derivation_index AS "index", base_address AS "baseAddress", solana_owner AS "solanaAddress",
  solana_token_account AS "solanaTokenAccount", attestation`;

const listFree = async (): Promise<AttestedAddresses[]> =>
  (await pool().query<AttestedAddresses>(`SELECT ${columns} FROM address_pool`)).rows;

async function countFree(): Promise<number> {
  const { rows } = await pool().query<{ free: number }>("SELECT count(*)::integer AS free FROM address_pool");
  return rows[0]?.free ?? 0;
}

/** False when the index that it began at was taken meanwhile: what was made is thrown away. */
async function addAddresses(held: Signer, count: number): Promise<boolean> {
  const from = (await findCustody())?.nextIndex ?? 0;
  const made: AttestedAddresses[] = [];
  while (made.length < count) {
    made.push(held.makeAddresses(from + made.length));
    await otherWork(); // a row takes milliseconds of computing, and requests are answered in between
  }
  const { rows } = await pool().query<{ added: boolean }>("SELECT wallets_add_addresses($1, $2, $3, $4, $5, $6) AS added", [
    held.fingerprint,
    from,
    made.map((one) => one.baseAddress),
    made.map((one) => one.solanaAddress),
    made.map((one) => one.solanaTokenAccount),
    made.map((one) => one.attestation),
  ]);
  return rows[0]?.added ?? false;
}

/** Rows seen to be the signer's own, so that each is derived again once and not at every run. */
const seenRows = () => once("address pool rows", () => ({ authentic: new Set<string>() }));

async function repairForged(held: Signer, rows: readonly AttestedAddresses[]): Promise<void> {
  const authentic = new Set<string>();
  for (const row of rows) authentic.add(seenRows().authentic.has(textOf(row)) ? textOf(row) : await checkRow(held, row));
  seenRows().authentic = authentic;
}

/** Resolves with the text of the row as it is now right. */
async function checkRow(held: Signer, row: AttestedAddresses): Promise<string> {
  await otherWork();
  const right = held.makeAddresses(row.index);
  if (textOf(right) !== textOf(row)) {
    await overwrite(right);
    log().error({ derivationIndex: row.index }, "an address in the pool was not the signer's and was put right: who wrote it?");
  }
  return textOf(right);
}

/** Rows of an index that the signer has not made yet, or whose wallet was given: they would stand in its way. */
async function deleteUnmade(): Promise<void> {
  const { rows } = await pool().query<{ index: number }>(
    `DELETE FROM address_pool p WHERE p.derivation_index >= (SELECT c.next_index FROM custody c)
       OR EXISTS (SELECT FROM custodial_wallet w WHERE w.derivation_index = p.derivation_index)
     RETURNING p.derivation_index AS "index"`,
  );
  if (rows.length > 0)
    log().error({ derivationIndexes: rows.map((row) => row.index) }, "rows that the signer never made stood in the pool");
}

const textOf = ({ attestation, ...row }: AttestedAddresses): string =>
  [row.index, row.baseAddress, row.solanaAddress, row.solanaTokenAccount, attestation.toString("hex")].join(" ");

async function overwrite(right: AttestedAddresses): Promise<void> {
  await pool().query(
    "UPDATE address_pool SET base_address = $2, solana_owner = $3, solana_token_account = $4, attestation = $5 WHERE derivation_index = $1",
    [right.index, right.baseAddress, right.solanaAddress, right.solanaTokenAccount, right.attestation],
  );
}

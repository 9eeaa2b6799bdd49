// The address pool on a real database: any number of signers fill it, each index is created once, and only from the right seed.

import { beforeEach, expect, test } from "vitest";
import { metrics } from "@/lib/base/observe/metrics";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { fillAddressPool } from "./address-pool";
import { auditSeed } from "./seed-audit";
import { openSigner } from "./seed-signer";
import { startCustody } from "./start-custody";
import { abandonWords, hardhatWords, startTestCustody, withSettings } from "./testing/seeds";

const database = await openTestDatabase();
const query = (sql: string, values: unknown[] = []) => database.pool.query(sql, values);

beforeEach(async () => {
  await query("TRUNCATE custody, address_pool, custodial_wallet");
  forgetSingleton("address pool rows");
});

/** The derivation indexes in the pool, and the next one. */
async function readPool(): Promise<{ indexes: number[]; next: number }> {
  const { rows } = await query("SELECT derivation_index AS index FROM address_pool ORDER BY 1");
  const { rows: custody } = await query("SELECT next_index AS next FROM custody");
  return { indexes: (rows as { index: number }[]).map((row) => row.index), next: (custody[0] as { next: number }).next };
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

test("a first start creates a few addresses immediately, and the job fills the pool", async () => {
  await startTestCustody();
  expect(await readPool()).toEqual({ indexes: upTo(3), next: 3 });
  await fillAddressPool();
  expect(await readPool()).toEqual({ indexes: upTo(50), next: 50 });
  await query("DELETE FROM address_pool WHERE derivation_index < 20");
  await fillAddressPool();
  expect(await readPool()).toEqual({ indexes: upTo(70).slice(20), next: 70 });
  expect((await metrics().addressPoolFree.get()).values[0]?.value).toBe(50);
});

test("ADDRESS_POOL_SIZE sets the pool's size; a run of a large pool creates only a part, so that a stop never waits long", async () => {
  withSettings({ ADDRESS_POOL_SIZE: "2" });
  await startTestCustody();
  await fillAddressPool();
  expect(await readPool()).toEqual({ indexes: upTo(2), next: 2 });
  withSettings({ ADDRESS_POOL_SIZE: "10000" });
  await fillAddressPool();
  const { next, indexes } = await readPool();
  expect(next).toBeGreaterThanOrEqual(27);
  expect(next).toBeLessThan(10_000);
  expect(indexes).toEqual(upTo(next));
});

test("two signers that fill concurrently create each index once, without gaps", async () => {
  withSettings({ ADDRESS_POOL_SIZE: "60" });
  await startTestCustody();
  for (let runs = 0; (await readPool()).next < 60 && runs < 20; runs++) await Promise.all([fillAddressPool(), fillAddressPool()]);
  expect(await readPool()).toEqual({ indexes: upTo(60), next: 60 });
});

test("rows that would block the signer are removed: indexes it has not created, and assigned ones", async () => {
  const signer = await startTestCustody();
  const { baseAddress, solanaAddress, solanaTokenAccount, attestation } = await signer.deriveAddresses(3);
  const row = [baseAddress, solanaAddress, solanaTokenAccount, attestation];
  await query("INSERT INTO address_pool VALUES (3, $1, $2, $3, $4), (2147483647, $1, $2, $3, $4)", row);
  await query("INSERT INTO custodial_wallet VALUES ('acc_1', 1, $1, $2, $3, $4, now())", row);
  await fillAddressPool();
  expect((await readPool()).indexes).toEqual(upTo(51).filter((index) => index !== 1));
});

test("a database is bound to its seed: another seed refuses to start, the same one continues", async () => {
  await startTestCustody();
  await expect(startTestCustody(abandonWords)).rejects.toThrow(
    /uses the seed [0-9a-f]{8}, but the configured seed is 73c5da0a\. Restore custody-seed\.json and secrets\.json/,
  );
  await expect(startTestCustody(hardhatWords)).resolves.toBeDefined();
  expect((await readPool()).next).toBe(3);
});

test("a database whose seed changes under a running signer gets no addresses, and the job fails", async () => {
  await startTestCustody();
  const { xpub } = await openSigner(abandonWords, "sandbox");
  await query("UPDATE custody SET xpub = $1", [xpub]);
  await expect(fillAddressPool()).rejects.toThrow("uses the seed");
  expect((await readPool()).next).toBe(3);
});

test("two concurrent first starts agree on one seed", async () => {
  const signers = await Promise.all([openSigner(hardhatWords, "sandbox"), openSigner(abandonWords, "sandbox")]);
  const outcomes = await Promise.allSettled(signers.map((signer) => startCustody(signer)));
  expect(outcomes.map((outcome) => outcome.status).sort()).toEqual(["fulfilled", "rejected"]);
});

test("a process without a seed starts on any database, and leaves it unchanged", async () => {
  await startCustody(null);
  expect((await query("SELECT 1 FROM custody")).rowCount).toBe(0);
});

test("a seed audit distinguishes a database without a seed, its own, and another seed's", async () => {
  const signer = await openSigner(hardhatWords, "sandbox");
  expect(await auditSeed(signer)).toEqual({ kind: "unused" });
  await startTestCustody();
  const { baseAddress, solanaAddress, solanaTokenAccount, attestation } = await signer.deriveAddresses(0);
  await query("INSERT INTO custodial_wallet VALUES ('acc_1', 0, $1, $2, $3, $4, now())", [
    baseAddress,
    solanaAddress,
    solanaTokenAccount,
    attestation,
  ]);
  expect(await auditSeed(signer)).toEqual({ kind: "match", wallets: 1, nextIndex: 3 });
  expect(await auditSeed(await openSigner(abandonWords, "sandbox"))).toMatchObject({
    kind: "differs",
    differences: expect.arrayContaining([
      expect.stringContaining("from this seed"),
      expect.stringContaining("wallet 0, baseAddress: 0xf39F"),
    ]) as string[],
  });
});

// The settlement terms: known to every process of a database whose seed was opened once, and always equal to the settings.

import { beforeEach, expect, test } from "vitest";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { settlementAddress } from "@/lib/chains/evm/settlement";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { writeSettlementParties } from "@/lib/relay/settlement-parties";
import { startTestCustody, withSettings } from "@/lib/wallets/custody/testing/seeds";
import { findSettlementTerms } from "./settlement-terms";

await openTestDatabase();
/** Forgets the terms, as another process would not know them. */
const forget = () => forgetSingleton("settlement terms");
beforeEach(forget);

const treasury = `0x${"aB".repeat(20)}` as const;
const live = {
  MODE: "live",
  KEY_PEPPER: "k".repeat(32),
  SESSION_SECRET: "s".repeat(32),
  ROLES: "web",
  PUBLIC_URL: "https://pennyprompt.example",
  TREASURY_BASE_ADDRESS: treasury,
  TREASURY_SOLANA_ADDRESS: "So11111111111111111111111111111111111111112",
  DATABASE_URL: "postgresql://nobody@127.0.0.1:1/none",
};

test("before the first start with a seed there are none; after it every process knows them", async () => {
  expect(await findSettlementTerms()).toBeNull();
  const signer = await startTestCustody();
  const terms = await findSettlementTerms();
  expect(terms).toEqual({
    serviceName: "PennyPrompt",
    usdc: expect.stringMatching(/^0x[0-9a-f]{40}$/) as string,
    treasury: signer.treasury.base.toLowerCase(),
    relayer: signer.relayer.address.toLowerCase(),
  });
  forget();
  expect(await findSettlementTerms()).toEqual(terms);
});

test("in live mode a treasury in the database that differs from the settings is refused: another contract would be trusted", async () => {
  withSettings(live);
  await writeSettlementParties({ treasury, relayer: treasury });
  expect(await findSettlementTerms()).toMatchObject({ treasury: treasury.toLowerCase() });
  forget();
  await writeSettlementParties({ treasury: `0x${"12".repeat(20)}`, relayer: treasury });
  await expect(findSettlementTerms()).rejects.toThrow("TREASURY_BASE_ADDRESS does not match the treasury");
});

test("another service name is another contract", async () => {
  await writeSettlementParties({ treasury, relayer: treasury });
  const terms = await findSettlementTerms();
  withSettings({ SERVICE_NAME: "Another" });
  forget();
  const other = await findSettlementTerms();
  expect(other?.serviceName).toBe("Another");
  expect(terms && other && settlementAddress(terms) === settlementAddress(other)).toBe(false);
  await pool().query("DELETE FROM setting WHERE name = 'settlement parties'");
});

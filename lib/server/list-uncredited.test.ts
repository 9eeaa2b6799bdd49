import { afterAll, expect, test, vi } from "vitest";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { fundedAccount, openFunding } from "@/lib/ledger/testing/fund";
import { addDeposit, credit, openScan } from "@/lib/wallets/deposits/testing/scanned-deposits";
import { main } from "./list-uncredited";

const database = await openTestDatabase();
afterAll(() => {
  delete process.env.DATABASE_URL;
  forgetSingleton("config");
});

test("the operator sees what arrived and was never credited: too small, or not USDC; and nothing that was credited", async () => {
  await openFunding();
  await openScan("base", { latest: 100, safe: 95, final: 90 });
  const [small, rich] = [await fundedAccount(0n), await fundedAccount(0n)];
  const ids = [
    await addDeposit({ accountId: small, usd: "0.40", block: 7 }),
    await addDeposit({ accountId: small, usd: "0.000001", block: 8 }),
    await addDeposit({ accountId: rich, usd: "3", block: 8 }),
  ];
  await credit(ids);
  await pool().query(
    `INSERT INTO foreign_token (chain, transaction, place, token, sender, address, account_id, units, block, seen_at)
     VALUES ('base', $1, 0, $2, $3, $3, $4, 12345678901234567890123, 9, now())`,
    [`0x${"a".repeat(64)}`, `0x${"b".repeat(40)}`, `0x${"c".repeat(40)}`, rich],
  );
  process.env.DATABASE_URL = database.url;
  forgetSingleton("config");
  const written = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  await main();
  const lines = written.mock.calls.map(([text]) => String(text).trimEnd());
  written.mockRestore();
  expect(process.exitCode).toBeUndefined();
  expect(lines).toHaveLength(4);
  expect(lines[0]).toMatch(new RegExp(`^base .* ${small} .*0\\.400001`));
  expect(lines[1]).toContain("1 address below the minimum deposit ($0.400001 in total)");
  expect(lines[2]).toContain(`12345678901234567890123 units of 0x${"b".repeat(40)}`);
  expect(lines[3]).toContain("1 transfer of other tokens");
});

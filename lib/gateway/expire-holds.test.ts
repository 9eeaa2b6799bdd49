import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { nowMs, setClock } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { type AccountId, type KeyId, newRequestId } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import { metrics } from "@/lib/base/observe/metrics";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "@/lib/ledger/accounts";
import { chargeDetails } from "@/lib/ledger/testing/books";
import { closeRequestPath, expectBooksToClose } from "@/lib/ledger/testing/closing";
import { fundedAccount, openFunding, openKey } from "@/lib/ledger/testing/fund";
import { expireHolds } from "./expire-holds";
import { submitHold } from "./hold-batch";
import { submitSettlement } from "./settle-batch";

await openTestDatabase();
beforeAll(openFunding);
afterAll(closeRequestPath);

let restoreClock = () => {};
afterEach(() => restoreClock());

/** How long a hold lives: the provider's time limit and a minute to settle. */
const lifeMs = () => config().PROVIDER_TOTAL_TIMEOUT_MS + 60_000;
const later = (ms: number) => {
  const at = nowMs() + ms;
  restoreClock();
  restoreClock = setClock(() => at);
};

async function hold(account: AccountId, ceiling: number, key: KeyId | null = null, idempotency: string | null = null) {
  const item = { request: newRequestId(), account, key, ceiling: nanoUsd(ceiling) };
  return { ...item, decision: await submitHold({ ...item, idempotency, hash: idempotency === null ? null : Buffer.from("body") }) };
}

test("a hold lives as long as a provider may take, and then its money is free again", async () => {
  const account = await fundedAccount(10);
  const key = await openKey(account, { nanoUsd: 8, period: "total" });
  const at = Date.now();
  restoreClock = setClock(() => at);
  await hold(account, 7, key);
  later(lifeMs());
  expect(await expireHolds()).toBe(0);
  expect((await readBalance(account)).held).toBe(7n);
  later(1);
  expect(await expireHolds()).toBe(1);
  expect(await readBalance(account)).toEqual({ posted: 10n, held: 0n, available: 10n });
  expect((await hold(account, 8, key)).decision.outcome).toBe("held"); // the cap is free too
  expect((await metrics().holdsExpired.get()).values[0]?.value).toBe(1);
});

test("an answer that is settled after its hold expired is charged with what is available; the operator bears the rest", async () => {
  const account = await fundedAccount(10);
  const key = await openKey(account, { nanoUsd: 100, period: "day" });
  const { request, decision } = await hold(account, 9, key);
  if (decision.outcome !== "held") throw new Error(decision.outcome);
  later(lifeMs() + 1);
  await expireHolds();
  await hold(account, 6);
  const late = {
    request,
    account,
    key,
    period: decision.period,
    periodStart: decision.periodStart,
    ceiling: nanoUsd(9),
    inputCost: nanoUsd(3),
    outputCost: nanoUsd(5),
    charge: chargeDetails(3, 5),
  };
  expect(await submitSettlement(late)).toEqual({ outcome: "late", inputCost: 3n, outputCost: 1n });
  expect(await submitSettlement(late)).toEqual({ outcome: "already", inputCost: 3n, outputCost: 1n });
  expect(await readBalance(account)).toEqual({ posted: 6n, held: 6n, available: 0n });
  const { rows } = await pool().query("SELECT operator_loss FROM charge WHERE request_id = $1", [request]);
  expect(rows).toEqual([{ operator_loss: 4n }]);
  expect((await pool().query("SELECT spent, held FROM key_spend WHERE key_id = $1", [key])).rows).toEqual([{ spent: 4n, held: 0n }]);
});

test("a claim whose process died ends with its hold: the same Idempotency-Key is served again", async () => {
  const account = await fundedAccount(10);
  expect((await hold(account, 4, null, "retry")).decision.outcome).toBe("held");
  expect((await hold(account, 4, null, "retry")).decision.outcome).toBe("in_progress");
  later(lifeMs() + 1);
  expect((await hold(account, 4, null, "retry")).decision.outcome).toBe("in_progress");
  await expireHolds();
  expect((await hold(account, 4, null, "retry")).decision.outcome).toBe("held");
});

test("thousands of holds are freed in one run, and two reapers at once free each of them once", async () => {
  const accounts = await Promise.all(Array.from({ length: 20 }, () => fundedAccount(1_000)));
  const holds = accounts.flatMap((account) => Array.from({ length: 120 }, () => hold(account, 2)));
  await Promise.all(holds);
  later(lifeMs() + 1);
  const freed = await Promise.all([expireHolds(), expireHolds()]);
  const { rows } = await pool().query<{ left: bigint }>("SELECT count(*) AS left FROM hold WHERE deadline < $1", [new Date(nowMs())]);
  expect(rows).toEqual([{ left: 0n }]);
  expect((freed[0] ?? 0) + (freed[1] ?? 0)).toBeGreaterThanOrEqual(2_400);
  for (const balance of await Promise.all(accounts.map(readBalance)))
    expect(balance).toEqual({ posted: 1_000n, held: 0n, available: 1_000n });
});

test("a hold that is settled while the reaper comes ends once, whoever is first", async () => {
  const account = await fundedAccount(10_000);
  const placed = await Promise.all(Array.from({ length: 200 }, () => hold(account, 10)));
  later(lifeMs() + 1);
  const [freed, ...settled] = await Promise.all([
    expireHolds(),
    ...placed.map(({ request }) =>
      submitSettlement({
        request,
        account,
        key: null,
        period: null,
        periodStart: null,
        ceiling: nanoUsd(10),
        inputCost: nanoUsd(4),
        outputCost: nanoUsd(0),
        charge: chargeDetails(4, 0),
      }),
    ),
  ]);
  const late = settled.filter(({ outcome }) => outcome === "late").length;
  expect(settled.filter(({ outcome }) => outcome === "settled").length + late).toBe(200);
  expect(freed).toBeGreaterThanOrEqual(late);
  expect(await readBalance(account)).toEqual({ posted: 9_200n, held: 0n, available: 9_200n });
});

test("after all of this the books close", expectBooksToClose);

import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { commit } from "@/lib/gateway/prompt/commit";
import { readBalance } from "../accounts";
import { holdOf } from "../testing/books";
import { closeRequestPath, expectBooksToClose } from "../testing/closing";
import { fundedAccount, openFunding } from "../testing/fund";
import { holdRequest } from "../testing/waiting";

// Sets cannot decide a refused hold, which would make its whole batch slow. So a refused account has its own batches until one of its holds
// is held.

const statements = vi.hoisted((): string[] => []);
vi.mock("./connections", async (importOriginal) => {
  const original = await importOriginal<typeof import("./connections")>();
  const runOnCommitConnection: typeof original.runOnCommitConnection = (statement) => {
    statements.push(statement.name.replace(/ .*/, ""));
    return original.runOnCommitConnection(statement);
  };
  return { ...original, runOnCommitConnection };
});

await openTestDatabase();
beforeAll(openFunding);
afterAll(closeRequestPath);
beforeEach(() => void statements.splice(0));

type Account = Awaited<ReturnType<typeof fundedAccount>>;
const place = async (account: Account) => (await commit().place(holdOf(holdRequest(account, null, 10)))).outcome;

test("a refused account delays no other; once it has money again, it shares their batches", async () => {
  const rich = await Promise.all(Array.from({ length: 6 }, () => fundedAccount(100)));
  const poor = await fundedAccount(5);
  const all = async () => {
    statements.splice(0);
    const [first, ...others] = await Promise.all([place(poor), ...rich.map(place)]);
    expect(others).toEqual(rich.map(() => "held"));
    return first;
  };
  expect(await place(poor)).toBe("insufficient");

  expect(await all()).toBe("insufficient");
  expect([...statements].sort()).toEqual(["gateway_decide_batch", "gateway_place_hold"]);

  await pool().query("SELECT ledger_post('gift', 'credit', $1, now())", [
    JSON.stringify([
      { account: poor, amount: "1000" },
      { account: "test_funding", amount: "-1000" },
    ]),
  ]);
  expect(await all()).toBe("held");
  expect(await all()).toBe("held");
  expect(statements).toEqual(["gateway_decide_batch"]);
  expect(await readBalance(poor)).toEqual({ posted: 1_005n, held: 20n, available: 985n });
});

test("after all these tests the books close", expectBooksToClose);

// A process is judged dead, and may beat again before its holds are freed. Whichever is first is final: either nothing is freed, or the
// process finds, once it has beaten, that its holds are gone.

import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { pool } from "@/lib/db/pool";
import { whileHeld } from "@/lib/db/testing/held-lock";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { commit } from "@/lib/gateway/prompt/commit";
import { isHoldOpen } from "./confirm-hold";
import { freeDeadHolds } from "./expire-holds";
import type { Hold } from "./holds";
import { placeHold } from "./place-hold";
import { closeRequestPath, expectBooksToClose } from "./testing/closing";
import { fundedAccount, openFunding } from "./testing/fund";
import { newHold } from "./testing/holding";

await openTestDatabase();
beforeAll(openFunding);
afterEach(() => pool().query("DELETE FROM process"));
afterAll(closeRequestPath);

const id = "prc_dead";
const judged = { id, beat: "7" };
const beatAgain = "UPDATE process SET beat = beat + 1 WHERE id = $1";
const isOpen = (hold: Hold) => isHoldOpen(commit(), hold);

/** A hold with an idempotency key, of a process that has beaten seven times and died. */
async function placeOfDead(): Promise<Hold> {
  await pool().query("INSERT INTO process (id, roles, started_at, beat) VALUES ($1, 'web', now(), 7)", [id]);
  const hold = newHold(await fundedAccount(10), 10, { idempotency: "of the dead" });
  expect(await placeHold(commit(), hold)).toEqual({ outcome: "held" });
  await pool().query("UPDATE hold SET process_id = $1 WHERE request_id = $2", [id, hold.requestId]);
  return hold;
}

test("the holds and claims of a dead process are freed, once, however many judge it", async () => {
  const hold = await placeOfDead();
  expect(await isOpen(hold)).toBe(true);
  const freed = await Promise.all([freeDeadHolds(commit(), judged), freeDeadHolds(commit(), judged)]);
  expect(freed.sort()).toEqual([0, 1]);
  expect(await isOpen(hold)).toBe(false);
  expect((await pool().query("SELECT FROM idempotent_reply WHERE request_id = $1", [hold.requestId])).rowCount).toBe(0);
});

test.each([
  ["has beaten since it was judged", beatAgain],
  ["is judged by nobody any more, since its row is gone", "DELETE FROM process WHERE id = $1"],
])("nothing is freed of a process that %s", async (_what, change) => {
  const hold = await placeOfDead();
  await pool().query(change, [id]);
  expect(await freeDeadHolds(commit(), judged)).toBe(0);
  expect(await isOpen(hold)).toBe(true);
});

test("a beat that is committed first leaves nothing to be freed", async () => {
  const hold = await placeOfDead();
  const free = () => freeDeadHolds(commit(), judged);
  expect(await whileHeld([beatAgain, id], free, async () => undefined)).toBe(0);
  expect(await isOpen(hold)).toBe(true);
});

test("a beat waits for what is being freed, and then finds it gone", async () => {
  const hold = await placeOfDead();
  const free = ["SELECT FROM gateway_free_dead_holds($1, $2, 10, now())", id, "7"] as const;
  await whileHeld(
    free,
    () => pool().query(beatAgain, [id]),
    async () => expect(await isOpen(hold)).toBe(true),
  );
  expect(await isOpen(hold)).toBe(false);
});

test("a hold whose idempotency key went to another request is not the request's any more", async () => {
  const hold = await placeOfDead();
  await pool().query("UPDATE idempotent_reply SET request_id = 'req_other' WHERE request_id = $1", [hold.requestId]);
  expect(await isOpen(hold)).toBe(false);
  await pool().query("UPDATE idempotent_reply SET request_id = $1 WHERE request_id = 'req_other'", [hold.requestId]);
});

test("many who ask at once ask together, and each learns of its own hold", async () => {
  const account = await fundedAccount(1_000);
  const holds = Array.from({ length: 40 }, () => newHold(account, 1));
  await Promise.all(holds.filter((_, index) => index % 3 > 0).map((hold) => placeHold(commit(), hold)));
  expect(await Promise.all(holds.map(isOpen))).toEqual(holds.map((_, index) => index % 3 > 0));
});

test("after all these tests the books close", expectBooksToClose);

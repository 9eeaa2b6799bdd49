// What the command palette finds in an account, and that it finds nothing of another one.

import { beforeAll, expect, test } from "vitest";
import { createKey } from "@/lib/access/keys";
import type { AccountId } from "@/lib/base/ids";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { fundedAccount, openFunding } from "@/lib/ledger/testing/fund";
import { endHold, openHold } from "@/lib/ledger/testing/hold";
import type { Owner } from "../owner";
import { searchAccount } from "./search-account";

const { pool } = await openTestDatabase();
beforeAll(openFunding);

const at = new Date(Date.UTC(2026, 0, 31, 9));
const ownerOf = (accountId: AccountId): Owner => ({
  accountId,
  sessionId: "ses_test" as Owner["sessionId"],
  wallet: { chain: "evm", address: "0x0" },
  isFrozen: false,
  isLeaving: false,
  confirmedAt: at,
  spendsUntil: null,
});

test("keys by name and prefix, requests by id or its beginning, of the owner alone", async () => {
  const [account, other] = [await fundedAccount(100), await fundedAccount(100)];
  const { key, keyId } = await createKey({ accountId: account, name: "ci" });
  const running = await openHold(account, 30n, { key: keyId, at, until: new Date(at.getTime() + 60_000) });
  const charged = await openHold(account, 30n, { key: keyId, at, until: new Date(at.getTime() + 60_000) });
  await endHold(charged, { input: 1, output: 1, at });
  const failedId = `${charged.request.slice(0, 14)}zzzzzzzzzz`;
  await pool.query(
    `INSERT INTO failed_request (request_id, account_id, endpoint, status, code, at) VALUES ($1, $2, 'prompt', 400, 'INVALID_REQUEST', $3)`,
    [failedId, account, at],
  );
  const found = (accountId: AccountId, text: unknown) => searchAccount(ownerOf(accountId), text);

  const { keys, requests } = await found(account, null);
  expect(keys).toEqual([{ id: keyId, name: "ci", display: expect.stringMatching(/^pp_\w+…\w{4}$/), state: "active" }]);
  expect(key).not.toBe(keys[0]?.display);
  expect(requests).toEqual([]);
  expect((await found(account, running.request)).requests).toEqual([{ requestId: running.request, state: "running" }]);
  expect((await found(account, ` ${charged.request.slice(0, 20)} `)).requests).toEqual([{ requestId: charged.request, state: "charged" }]);
  expect((await found(account, charged.request.slice(0, 14))).requests).toContainEqual({ requestId: failedId, state: "refused" });
  expect((await found(account, "req_")).requests).toEqual([]);
  expect((await found(account, "req_%")).requests).toEqual([]);
  expect(await found(other, charged.request)).toEqual({ keys: [], requests: [] });
});

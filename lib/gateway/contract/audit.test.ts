// The audit log through both HTTP servers: only the account's own, the newest first, page by page, with amounts in USD.

import { describe, expect, test } from "vitest";
import { createKey, setKeyState } from "@/lib/access/keys";
import { changeKey } from "@/lib/access/testing/change-key";
import { chainEntries } from "@/lib/audit/chain";
import { parseUsd } from "@/lib/base/money";
import { runActing } from "@/lib/db/acting";
import { setLowLine } from "@/lib/ledger/accounts";
import { openAccount } from "./testing/accounts";
import { ask, readError } from "./testing/client";
import { entryNames, openService } from "./testing/service";

const service = await openService();

interface Entry {
  id: string;
  kind: string;
  subject: string;
  actor: { kind: string };
  from: unknown;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  sequence: number | null;
  digest: string | null;
}

describe.each(entryNames)("through the %s server", (entry) => {
  const url = service.url(entry);
  const get = (key: string, query = "") => ask({ url, key, path: `/api/v1/audit${query}`, method: "GET" });

  async function read(key: string, query = ""): Promise<{ object: string; data: Entry[]; nextCursor: string | null }> {
    const answer = await get(key, query);
    expect(answer.status, answer.text).toBe(200);
    return JSON.parse(answer.text);
  }

  test("who changed what, the newest first, and no other account's", async () => {
    const { accountId, key, keyId } = await openAccount();
    await openAccount();
    const actor = { kind: "session", sessionId: "ses_1", chain: "evm", address: "0xab" } as const;
    const from = { address: "192.0.2.7", device: "Chrome on macOS" };
    await runActing({ actor, origin: from }, () => setLowLine(accountId, parseUsd("2.5")));
    await chainEntries();
    const { object, data, nextCursor } = await read(key);
    expect({ object, nextCursor }).toEqual({ object: "list", nextCursor: null });
    expect(data.map(({ kind }) => kind)).toEqual(["alarm.changed", "key.created"]);
    expect(data[0]).toMatchObject({ actor, from, subject: accountId, before: { lowBalance: null }, after: { lowBalance: 2.5 } });
    expect(data[0]?.sequence).toBeGreaterThan(data[1]?.sequence ?? 0);
    expect(data[0]?.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(data[1]).toMatchObject({ subject: keyId, actor: { kind: "service" }, from: null, before: null, after: { alarmAbove: 1 } });
  });

  test("page by page, and of one group", async () => {
    const { accountId, key, keyId } = await openAccount();
    for (const state of ["paused", "active"] as const) await setKeyState(accountId, keyId, state);
    await setLowLine(accountId, parseUsd("1"));
    const first = await read(key, "?limit=2");
    expect(first.data.map(({ kind }) => kind)).toEqual(["alarm.changed", "key.resumed"]);
    const second = await read(key, `?limit=2&cursor=${first.nextCursor}`);
    expect(second).toMatchObject({ data: [{ kind: "key.paused" }, { kind: "key.created" }], nextCursor: null });
    expect((await read(key, "?group=key")).data).toHaveLength(3);
  });

  test("a key that may not read the whole account reads what is about itself, and not who did it or from where", async () => {
    const { accountId, key, keyId } = await openAccount();
    await createKey({ accountId, name: "another" });
    const actor = { kind: "session", sessionId: "ses_1", chain: "evm", address: "0xab" } as const;
    const from = { address: "192.0.2.7", device: "Chrome on macOS" };
    await runActing({ actor, origin: from }, () => changeKey(keyId, { scopes: ["prompt", "read"] }));
    expect((await read(key)).data.map(({ kind, subject, actor, from }) => ({ kind, subject, actor, from }))).toEqual([
      { kind: "key.changed", subject: keyId, actor: { kind: "session" }, from: null },
      { kind: "key.created", subject: keyId, actor: { kind: "service" }, from: null },
    ]);
    await changeKey(keyId, { scopes: ["prompt"] });
    await expect.poll(async () => (await get(key)).status).toBe(403);
  });

  test("another account's cursor, a group that is none and a wrong limit are refused with what to send", async () => {
    const [one, other] = [await openAccount(), await openAccount()];
    await setKeyState(other.accountId, other.keyId, "active");
    await setLowLine(other.accountId, parseUsd("1"));
    const { nextCursor } = await read(other.key, "?limit=1");
    for (const cursor of [nextCursor, "x", Buffer.from('{"before":7}').toString("base64url")]) {
      const answer = await get(one.key, `?cursor=${cursor}`);
      readError(answer, "INVALID_REQUEST");
      expect(answer.text).toContain("omit it to start with the newest");
    }
    for (const query of ["?group=money", "?limit=0", "?after=1"]) expect((await get(one.key, query)).status).toBe(400);
    expect((await get("pp_wrong")).status).toBe(401);
  });
});

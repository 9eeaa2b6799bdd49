// Events through both HTTP servers: only the account's own, in order, page by page, with amounts in USD.

import { beforeAll, describe, expect, test } from "vitest";
import { parseUsd } from "@/lib/base/money";
import { numberEvents } from "@/lib/events/outbox";
import { setLowLine } from "@/lib/ledger/accounts";
import { addDeposit, credit, openScan } from "@/lib/wallets/deposits/testing/scanned-deposits";
import { openAccount } from "./testing/accounts";
import { ask, promptOf, readError } from "./testing/client";
import { entryNames, openService } from "./testing/service";

const service = await openService();
beforeAll(() => openScan("base", { latest: 100, safe: 95, final: 90 }));

interface List {
  object: string;
  data: { id: string; sequence: number; type: string; createdAt: string; data: Record<string, unknown> }[];
  hasMore: boolean;
}

describe.each(entryNames)("through the %s server", (entry) => {
  const url = service.url(entry);
  const get = (key: string, query = "") => ask({ url, key, path: `/api/v1/events${query}`, method: "GET" });

  async function read(key: string, query = ""): Promise<List> {
    const answer = await get(key, query);
    expect(answer.status, answer.text).toBe(200);
    return JSON.parse(answer.text);
  }

  test("what happened to the account, the oldest first, and no other account's", async () => {
    const { accountId, key, keyId } = await openAccount({ usd: "0" });
    await openAccount();
    const id = await addDeposit({ accountId, usd: "5.25", block: 90 });
    await credit([id]);
    await numberEvents();
    const { object, data, hasMore } = await read(key);
    expect({ object, hasMore }).toEqual({ object: "list", hasMore: false });
    expect(data.map(({ sequence, type }) => [sequence, type])).toEqual([
      [1, "key.created"],
      [2, "deposit.seen"],
      [3, "deposit.credited"],
    ]);
    expect(data[0]?.data).toMatchObject({ keyId, name: "test" });
    expect(data[2]?.data).toMatchObject({ depositId: id, amount: 5.25 });
    expect(data[2]?.createdAt).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    const first = await read(key, "?limit=2");
    expect(first.hasMore).toBe(true);
    expect((await read(key, `?after=${first.data[1]?.id}`)).data.map(({ sequence }) => sequence)).toEqual([3]);
  });

  test("a request that takes the balance below the threshold, and one that it does not cover", async () => {
    const { accountId, key } = await openAccount({ usd: "0.001" });
    await setLowLine(accountId, parseUsd("0.001"));
    const answer = await ask({ url, key, body: promptOf() });
    expect(answer.status, answer.text).toBe(200);
    expect((await ask({ url, key, body: promptOf({ maxTokens: 16_000, model: "gpt-4o" }) })).status).toBe(402);
    await numberEvents();
    const { data } = await read(key, "?limit=10");
    expect(data.slice(1).map(({ type }) => type)).toEqual(["balance.low", "balance.exhausted"]);
    const { balance, cost } = { balance: Number(data[1]?.data.balance), cost: JSON.parse(answer.text).cost.totalCost };
    expect(balance).toBeCloseTo(0.001 - cost, 9);
  });

  test("a request that was clipped and answered tells of no refusal; one that is refused in the end does, once", async () => {
    const clip = promptOf({ maxTokens: 16_000, model: "gpt-4o", clipToBalance: true });
    const cap = { nanoUsd: parseUsd("0.005"), period: "day" } as const;
    for (const [opened, code, told] of [
      [await openAccount({ usd: "0.01" }), "INSUFFICIENT_BALANCE", "balance.exhausted"],
      [await openAccount({ key: { cap } }), "SPEND_CAP_REACHED", "key.cap_reached"],
    ] as const) {
      const { key } = opened;
      const clipped = await ask({ url, key, body: clip });
      expect([clipped.status, clipped.headers.has("x-clipped-to")]).toEqual([200, true]);
      await numberEvents();
      const before = (await read(key)).data.length;
      for (const _ of [1, 2]) readError(await ask({ url, key, body: { ...clip, clipToBalance: false } }), code);
      await numberEvents();
      expect((await read(key)).data.slice(before).map(({ type }) => type)).toEqual([told]);
      expect((await read(key)).data.slice(0, before).map(({ type }) => type)).not.toContain(told);
    }
  });

  test("an unknown event, another account's and a wrong limit are refused with what to send", async () => {
    const [one, other] = [await openAccount(), await openAccount()];
    await numberEvents();
    const foreign = (await read(other.key)).data[0]?.id;
    for (const query of ["?after=evt_unknown", `?after=${foreign}`]) {
      const answer = await get(one.key, query);
      readError(answer, "INVALID_REQUEST");
      expect(answer.text).toContain("omit it to start from the oldest");
    }
    expect((await get(one.key, "?limit=0")).status).toBe(400);
    expect((await get("pp_wrong")).status).toBe(401);
  });
});

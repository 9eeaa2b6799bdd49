// Calls that were refused or failed are kept for their owner, through both HTTP servers; all others leave nothing.

import { describe, expect, test } from "vitest";
import { findFailure } from "@/lib/access/failures/list-failed";
import { writeFailedRequests } from "@/lib/access/failures/record-failed";
import { pool } from "@/lib/db/pool";
import { openAccount } from "./testing/accounts";
import { ask, misbehaving, promptOf } from "./testing/client";
import { openService } from "./testing/service";

const service = await openService();

const kept = async (accountId: string) => {
  await writeFailedRequests();
  const { rows } = await pool().query(
    "SELECT endpoint, model, status, code FROM failed_request WHERE account_id = $1 ORDER BY request_id",
    [accountId],
  );
  return rows;
};

describe.each(["node", "next"] as const)("through the %s server", (server) => {
  test("a refused prompt is kept with its code, its model and its key; an answered one and a foreign read are not", async () => {
    const { accountId, key } = await openAccount();
    const url = service.url(server);
    expect((await ask({ url, key, body: promptOf() })).status).toBe(200);
    const refused = await ask({ url, key, body: { ...promptOf(), model: "gpt-nowhere" } });
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(await kept(accountId)).toMatchObject([{ endpoint: "prompt", model: null, status: refused.status }]);
    const requestId = refused.headers.get("x-request-id") ?? "";
    expect(await findFailure(accountId, requestId)).toMatchObject({ keyId: expect.stringMatching(/^key_/) });
  });

  test("a call without money and a stream that broke off are kept with their model, on the OpenAI endpoint too", async () => {
    const [poor, rich] = [await openAccount({ usd: "0.000001" }), await openAccount()];
    const url = service.url(server);
    expect((await ask({ url, key: poor.key, body: promptOf() })).status).toBe(402);
    expect(await kept(poor.accountId)).toMatchObject([{ model: expect.any(String), status: 402, code: "INSUFFICIENT_BALANCE" }]);
    const broken = await ask({ url, key: rich.key, body: misbehaving("close-midway", { stream: true }) });
    expect(broken.status).toBe(200);
    await ask({ url, key: rich.key, path: "/api/v1/chat/completions", body: { model: "gpt-nowhere", messages: [] } });
    expect(await kept(rich.accountId)).toMatchObject([
      { endpoint: "prompt", model: expect.any(String), status: 500, code: "INTERNAL_ERROR" },
      { endpoint: "chat/completions", status: 400 },
    ]);
    expect(await findFailure(poor.accountId, broken.headers.get("x-request-id") ?? "")).toBeNull();
  });
});

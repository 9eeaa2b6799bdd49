// An abandoned call is not sent once its connection is established, even though its budget has been given to another route
// meanwhile.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { buildConnector, Pool } from "undici";
import { expect, onTestFinished, test, vi } from "vitest";
import { CallBudget } from "./budget";
import { readWholeAnswer } from "./transport";
import { ProviderFailure } from "./types";

const limits = { PROVIDER_FIRST_TOKEN_TIMEOUT_MS: 30, PROVIDER_IDLE_TIMEOUT_MS: 1_000, PROVIDER_TOTAL_TIMEOUT_MS: 60_000 };

test("a call whose time ran out while connecting is never sent", async () => {
  const received = vi.fn();
  const server = createServer((_request, response) => {
    received();
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const connect = buildConnector({});
  let connected = 0;
  const pool = new Pool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    connect: (options, callback) =>
      setTimeout(() => {
        connected += 1;
        connect(options, callback);
      }, 150),
  });
  onTestFinished(async () => {
    await pool.destroy();
    server.close();
  });
  const budget = new CallBudget(limits, null);
  budget.awaitFirstToken(limits.PROVIDER_FIRST_TOKEN_TIMEOUT_MS);
  const options = { method: "POST" as const, path: "/", body: "{}" };
  const reading = { budget, onHead: () => 1_000, onBegun: () => undefined, notBegun: () => new ProviderFailure("unavailable", "away") };
  await expect(readWholeAnswer(pool, options, reading)).rejects.toMatchObject({ kind: "timeout" });
  budget.renew();
  expect(budget.reason).toBeUndefined();
  await vi.waitFor(() => expect(connected).toBe(1));
  await sleep(100);
  expect(received).not.toHaveBeenCalled();
  // The connection stays usable.
  budget.close();
  const next = new CallBudget({ ...limits, PROVIDER_FIRST_TOKEN_TIMEOUT_MS: 5_000 }, null);
  onTestFinished(() => next.close());
  await expect(readWholeAnswer(pool, options, { ...reading, budget: next })).resolves.toMatchObject({ status: 200, text: "{}" });
});

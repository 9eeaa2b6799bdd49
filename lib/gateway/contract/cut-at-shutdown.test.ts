// Streams that are cut because the service ends: each is charged before its hold is freed, also where its tokens would take long to count.

import { createServer } from "node:http";
import { expect, test } from "vitest";
import { forgetSingleton, replaceSingleton } from "@/lib/base/process-singleton";
import { bundleProgram } from "@/lib/db/testing/programs";
import { prose } from "@/lib/providers/testing/scraps";
import { TokenCounter } from "@/lib/providers/token-count/token-counter";
import { drain } from "@/lib/server/shutdown";
import { openAccount } from "./testing/accounts";
import { chargesOf, openHolds } from "./testing/books";
import { open } from "./testing/client";
import { openService } from "./testing/service";

const service = await openService({ env: { DRAIN_TIMEOUT_MS: "1000" } });
const url = service.url("node");

test("every stream is charged, and the counter that would take its time for them is not waited for", async () => {
  const patient = {
    jobTimeoutMs: 60_000,
    startTimeoutMs: 60_000,
    waitTimeoutMs: 60_000,
    idleMs: 60_000,
    maxWaiting: 64,
    maxWaitingOfOne: 8,
  };
  replaceSingleton("token counter", new TokenCounter({ bundle: bundleProgram("lib/providers/token-count/worker.ts"), ...patient }));
  const text = prose
    .map(([, one]) => one)
    .join("\n")
    .repeat(20);
  const leave = new AbortController();
  const accounts = await Promise.all(Array.from({ length: 16 }, () => openAccount({ usd: "50" })));
  for (const { key } of accounts) {
    const body = { model: "gpt-4.1-mini", stream: true, prompt: `${text} [[simulate: slow=100 tokens=2000]]` };
    const response = await open({ url, key, body, signal: leave.signal });
    expect(response.status).toBe(200);
    await response.body?.getReader().read();
  }
  // It stands for the service's own, whose connections end with it.
  const server = createServer();
  server.closeAllConnections = () => leave.abort();
  const booked: number[] = [];
  const look = async () => {
    for (const { accountId } of accounts) booked.push((await chargesOf(accountId)).length, await openHolds(accountId));
  };
  await drain(server, [{ name: "look", stop: look }]);
  forgetSingleton("token counter");
  expect(booked).toEqual(accounts.flatMap(() => [1, 0]));
});

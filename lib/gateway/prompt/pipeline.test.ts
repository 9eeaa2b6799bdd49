// The order of the steps, as lib/README.md shows it: authenticate, limit, read, quote, hold, call the provider, settle, respond.

import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { createKey } from "@/lib/access/keys";
import { isAppError } from "@/lib/base/errors";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { closeRequestPath } from "@/lib/ledger/testing/closing";
import { fundedAccount, openFunding } from "@/lib/ledger/testing/fund";
import { setSimulatedProviders } from "@/lib/providers/endpoints";
import { closeProviderPools } from "@/lib/providers/transport";
import { startTestModels, type TestModels } from "@/lib/sandbox/models/testing";
import { authenticate } from "../http/caller";
import { openRequest } from "../http/request";
import { commit } from "./commit";
import { placeMoney, runPrompt } from "./pipeline";
import { prepareGateway } from "./prepare";
import { promptWriter, readPrompt } from "./prompt-body";

type Step = (...given: never[]) => unknown;

const { steps, written, recordStep } = vi.hoisted(() => {
  const steps: string[] = [];
  /** The steps before each request to a provider was written. */
  const written: string[][] = [];
  /** The same step, recorded. */
  const recordStep = <S extends Step>(name: string, step: S): S =>
    ((...given: never[]) => {
      steps.push(name);
      return step(...given);
    }) as S;
  return { steps, written, recordStep };
});

vi.mock("../http/caller", async (original) => {
  const caller = await original<typeof import("../http/caller")>();
  return { ...caller, limit: recordStep("limit", caller.limit) };
});
vi.mock("./quote", async (original) => {
  const quote = await original<typeof import("./quote")>();
  return { ...quote, quoteFitting: recordStep("quote", quote.quoteFitting) };
});
vi.mock("@/lib/providers/call", async (original) => {
  const call = await original<typeof import("@/lib/providers/call")>();
  return {
    ...call,
    writeAhead: (...given: Parameters<typeof call.writeAhead>) => {
      written.push([...steps]);
      return call.writeAhead(...given);
    },
    callProvider: recordStep("call provider", call.callProvider),
    callProviderWhole: recordStep("call provider", call.callProviderWhole),
  };
});

await openTestDatabase();

let models: TestModels;
let gateway: Awaited<ReturnType<typeof prepareGateway>>;
beforeAll(async () => {
  models = await startTestModels();
  setSimulatedProviders(models.baseUrls, models.apiKey);
  gateway = await prepareGateway();
  await openFunding();
  const { place, settle } = commit();
  Object.assign(commit(), {
    place: async (...given: Parameters<typeof place>) => told("held", await place(...given)),
    settle: async (...given: Parameters<typeof settle>) => told("settled", await settle(...given)),
  });
});
beforeEach(() => {
  steps.splice(0);
  written.splice(0);
});
afterAll(async () => {
  await gateway?.stop();
  await closeProviderPools();
  await models?.stop();
  await closeRequestPath();
});

function told<T>(name: string, value: T): T {
  steps.push(name);
  return value;
}

interface TestRequest {
  body?: object;
  usd?: number;
  key?: string;
}

async function openKey(usd: number, ratePerMinute: number): Promise<string> {
  const accountId = await fundedAccount(BigInt(usd * 1e9), { ratePerMinute, concurrency: 1 });
  return (await createKey({ accountId, name: "worker" })).key;
}

/** Sends a request, and reads the answer to its end. */
async function ask({ body = {}, usd = 5, key }: TestRequest) {
  const authorization = `Bearer ${key ?? (await openKey(usd, 10))}`;
  const request = openRequest({
    method: "POST",
    path: "/api/v1/prompt",
    query: "",
    remoteAddress: "127.0.0.1",
    headers: { authorization, "content-type": "application/json" },
    readBody: () => ({ text: JSON.stringify({ model: "gpt-4o-mini", prompt: "In which order?", ...body }) }),
    signal: new AbortController().signal,
  });
  const sale = {
    identify: recordStep("authenticate", authenticate),
    read: recordStep("read", readPrompt),
    place: recordStep("hold", placeMoney),
    write: promptWriter,
  };
  try {
    const reply = await runPrompt(request, sale);
    steps.push("respond");
    if (typeof reply.body === "string") return { status: reply.status, text: reply.body };
    let text = "";
    for await (const piece of reply.body) {
      text += piece;
      for (const event of ["delta", "done"]) if (piece.includes(`event: ${event}`)) steps.push(event);
    }
    return { status: reply.status, text };
  } catch (error) {
    return { status: isAppError(error) ? error.status : 0, text: "" };
  } finally {
    await request.end();
  }
}

const untilHeld = ["authenticate", "limit", "read", "quote", "hold", "held"];

test("a whole answer is charged once it is complete, and sent once it is charged", async () => {
  expect(await ask({})).toMatchObject({ status: 200, text: expect.stringContaining('"success":true') });
  expect(steps).toEqual([...untilHeld, "call provider", "settled", "respond"]);
});

test("a short prompt is written for its provider while its hold is decided, a long one once it is held", async () => {
  await ask({});
  expect(written).toEqual([untilHeld.slice(0, -1)]);
  for (const usd of [5, 0]) {
    steps.splice(0);
    written.splice(0);
    const { status } = await ask({ usd, body: { prompt: "word ".repeat(20_000) } });
    expect([status, written]).toEqual(usd > 0 ? [200, [untilHeld]] : [402, []]);
  }
});

test("a stream begins with its first token, and its last event is sent once it is charged", async () => {
  expect((await ask({ body: { stream: true } })).status).toBe(200);
  expect(steps.filter((step, index) => step !== steps[index - 1])).toEqual([
    ...untilHeld,
    ...["call provider", "respond", "delta", "settled", "done"],
  ]);
});

test.each([false, true])(
  "when the provider fails before its first token the hold is released before the caller gets the error (stream: %s)",
  async (stream) => {
    expect((await ask({ body: { stream, prompt: "Fail. [[simulate: status=400]]" } })).status).toBe(400);
    expect(steps).toEqual([...untilHeld, "call provider", "settled"]);
  },
);

test.each<[string, number, TestRequest, string[]]>([
  ["an unknown key", 401, { key: `pp_${"a".repeat(38)}` }, ["authenticate"]],
  ["an unknown model", 400, { body: { model: "nobody" } }, ["authenticate", "limit", "read"]],
  ["a ceiling above its own limit", 400, { body: { maxCost: 1e-9 } }, ["authenticate", "limit", "read", "quote"]],
  ["an empty account", 402, { usd: 0 }, untilHeld],
])("%s is refused with %i, and no later step is taken", async (_why, status, wanted, taken) => {
  expect((await ask(wanted)).status).toBe(status);
  expect(steps).toEqual(taken);
});

test("a used-up rate is refused with 429, and no later step is taken", async () => {
  const key = await openKey(5, 1);
  await ask({ key });
  steps.splice(0);
  expect((await ask({ key })).status).toBe(429);
  expect(steps).toEqual(["authenticate", "limit"]);
});

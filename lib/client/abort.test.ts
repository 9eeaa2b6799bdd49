// An AbortSignal cancels at once in every phase, and the error thrown is its reason.

import { describe, expect, test } from "vitest";
import { PennyPrompt } from "./pennyprompt";
import { ANSWER, delta, fault, hang, json, openScriptedService, type Step, stream, WHOLE_STREAM } from "./testing/scripted-service";

const service = openScriptedService();
const request = { model: "gpt-4o-mini", prompt: "Hello" };
const reason = new Error("enough");

const openClient = () => new PennyPrompt({ apiKey: "pp_test", baseUrl: service.url });

const halfBody: Step = (response) => void response.writeHead(200, { "content-type": "application/json" }).write('{"success":');
const busy = fault(503, "SHUTTING_DOWN", {}, { "retry-after": "60" });
const brokenConnection: Step = (response) => void response.destroy();

/** A step, and a promise that it has been taken. */
function noted(step: Step): { step: Step; taken: Promise<void> } {
  let note: () => void = () => undefined;
  const taken = new Promise<void>((resolve) => {
    note = resolve;
  });
  return {
    taken,
    step: async (response) => {
      await step(response);
      setTimeout(note, 20); // the client has received it by then
    },
  };
}

describe.each<[string, Step]>([
  ["before the answer", hang],
  ["in the middle of the answer", halfBody],
  ["during the wait before a retry", busy],
  ["during the wait after a lost connection", brokenConnection],
])("%s", (_phase, phase) => {
  test.each(["prompt", "stream"] as const)("%s", async (method) => {
    const { step, taken } = noted(phase);
    service.answer(step);
    const leave = new AbortController();
    const answered = method === "prompt" ? openClient().prompt(request, leave) : openClient().stream(request, leave).finalAnswer();
    void taken.then(() => leave.abort(reason));
    const startedAt = performance.now();
    await expect(answered).rejects.toBe(reason);
    expect(performance.now() - startedAt).toBeLessThan(30_000); // the service asked for a minute
    expect(service.received).toHaveLength(1);
  });
});

test("an aborted signal sends nothing", async () => {
  await expect(openClient().prompt(request, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  await expect(
    openClient()
      .stream(request, { signal: AbortSignal.abort(reason) })
      .text(),
  ).rejects.toBe(reason);
  await expect(openClient().balance({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  expect(service.received).toEqual([]);
});

test.each<[string, Step]>([
  ["pieces that have not arrived yet", stream([delta("a")], "stay")],
  ["pieces that have already arrived", stream([WHOLE_STREAM])],
])("after an abort between two pieces of a stream, %s are not delivered", async (_case, step) => {
  service.answer(step);
  const leave = new AbortController();
  const events = openClient().stream(request, { signal: leave.signal })[Symbol.asyncIterator]();
  expect((await events.next()).value).toMatchObject({ type: "delta" });
  leave.abort(reason);
  await expect(events.next()).rejects.toBe(reason);
});

test("the server sees the connection close", async () => {
  const leave = new AbortController();
  const closed = new Promise<void>((resolve) => {
    service.answer((response) => {
      response.once("close", resolve);
      leave.abort();
    });
  });
  await expect(openClient().prompt(request, leave)).rejects.toMatchObject({ name: "AbortError" });
  await closed;
});

test("a signal that outlives its requests keeps none of their listeners", async () => {
  service.answer(json(200, ANSWER));
  const leave = new AbortController();
  let listeners = 0;
  const { signal } = leave;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  Object.assign(signal, {
    addEventListener: (...args: Parameters<typeof add>) => {
      listeners++;
      add(...args);
    },
    removeEventListener: (...args: Parameters<typeof remove>) => {
      listeners--;
      remove(...args);
    },
  });
  for (let at = 0; at < 3; at++) await openClient().prompt(request, { signal });
  expect(listeners).toBe(0);
});

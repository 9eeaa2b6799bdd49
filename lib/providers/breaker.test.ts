// The breaker's promises: it opens on a provider that keeps failing, lets one call at a time probe it, and never gets stuck.

import { afterEach, beforeEach, expect, test } from "vitest";
import { setClock } from "@/lib/base/clock";
import { type CallOutcome, CircuitBreaker, ProviderBreaker } from "./breaker";

let now = 1_000_000;
let restore: () => void;
let changes: boolean[] = [];
let breaker: CircuitBreaker;

beforeEach(() => {
  now = 1_000_000;
  restore = setClock(() => now);
  changes = [];
  breaker = new CircuitBreaker((isOpen) => changes.push(isOpen));
});
afterEach(() => restore());

function permit(): number {
  const granted = breaker.admit();
  if (granted === null) throw new Error("refused");
  return granted;
}

function calls(outcome: CallOutcome, count: number): void {
  for (let call = 0; call < count; call += 1) breaker.record(permit(), outcome);
}

test("five failures in a row open the circuit, four and a success do not", () => {
  calls("failure", 4);
  calls("success", 1);
  calls("failure", 4);
  expect(breaker.admit()).not.toBeNull();
  calls("failure", 1);
  expect(breaker.admit()).toBeNull();
  expect(breaker.retryAfterMs()).toBe(1_000);
  expect(breaker.openedAtMs).toBe(now);
  expect(changes).toEqual([true]);
});

test("half of at least twenty calls within thirty seconds open it, fewer do not", () => {
  for (let pair = 0; pair < 9; pair += 1) {
    calls("failure", 1);
    calls("success", 1);
  }
  calls("success", 1);
  expect(changes).toEqual([]);
  calls("failure", 1);
  expect(breaker.admit()).toBeNull();
});

test("failures of more than thirty seconds ago are forgotten", () => {
  for (let pair = 0; pair < 9; pair += 1) {
    calls("failure", 1);
    calls("success", 1);
  }
  now += 36_000;
  calls("success", 3);
  calls("failure", 3);
  expect(changes).toEqual([]);
});

test("aborted calls and refused credentials never open it", () => {
  calls("neutral", 100);
  expect(breaker.admit()).not.toBeNull();
});

test("after the pause one probe is sent, and its success closes the circuit", () => {
  calls("failure", 5);
  now += 1_000;
  const probe = permit();
  expect(breaker.admit()).toBeNull();
  breaker.record(probe, "success");
  expect(breaker.admit()).not.toBeNull();
  expect(changes).toEqual([true, false]);
  calls("failure", 4);
  expect(breaker.admit()).not.toBeNull();
});

test("each failed probe doubles the pause, up to a minute", () => {
  calls("failure", 5);
  for (const pauseMs of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
    now += pauseMs - 1;
    expect(breaker.admit()).toBeNull();
    now += 1;
    breaker.record(permit(), "failure");
  }
});

test("a probe that hangs does not block it: another may go after the pause, and the late outcome of the first is ignored", () => {
  calls("failure", 5);
  now += 1_000;
  const hung = permit();
  now += 1_000;
  const second = permit();
  breaker.record(hung, "failure");
  breaker.record(second, "success");
  expect(breaker.admit()).not.toBeNull();
});

test("an aborted probe lets the next call probe at once", () => {
  calls("failure", 5);
  now += 1_000;
  breaker.record(permit(), "neutral");
  breaker.record(permit(), "success");
  expect(changes).toEqual([true, false]);
});

test("outcomes of calls admitted before it opened change nothing", () => {
  const before = [permit(), permit(), permit()];
  calls("failure", 5);
  for (const old of before) breaker.record(old, "success");
  expect(breaker.admit()).toBeNull();
  for (const old of before) breaker.record(old, "failure");
  expect(breaker.retryAfterMs()).toBe(1_000);
});

test("it reports since when it is open, across failed probes, until a probe succeeds", () => {
  expect(breaker.openedAtMs).toBeNull();
  calls("failure", 5);
  const openedAt = now;
  now += 1_000;
  breaker.record(permit(), "failure");
  expect(breaker.openedAtMs).toBe(openedAt);
  now += 2_000;
  breaker.record(permit(), "success");
  expect(breaker.openedAtMs).toBeNull();
});

/** Calls of one model that all go alike; false once one is not admitted. */
const callModel = (provider: ProviderBreaker, model: string, outcome: CallOutcome, { busy = false, times = 5 } = {}): boolean =>
  Array.from({ length: times }, () => provider.admit(model)?.(outcome, busy)).length > 0 && provider.admit(model) !== null;

test("a model that is too busy is left alone, and the provider's other models are not", () => {
  const provider = new ProviderBreaker("anthropic");
  expect(callModel(provider, "opus", "failure", { busy: true })).toBe(false);
  expect(provider.retryAfterMs("opus")).toBe(1_000);
  expect(provider.retryAfterMs("haiku")).toBe(0);
  expect(provider.openedAtMs).toBeNull();
  expect(callModel(provider, "haiku", "success")).toBe(true);
  now += 1_000;
  provider.admit("opus")?.("success", false);
  expect(callModel(provider, "opus", "success")).toBe(true);
});

test("a provider that fails is left alone with all its models", () => {
  const provider = new ProviderBreaker("anthropic");
  expect(callModel(provider, "opus", "failure")).toBe(false);
  expect(provider.admit("haiku")).toBeNull();
  expect(provider.openedAtMs).toBe(now);
});

test("a call that its model's circuit refuses leaves the provider's probe to others", () => {
  const provider = new ProviderBreaker("anthropic");
  callModel(provider, "opus", "failure", { busy: true });
  callModel(provider, "haiku", "failure");
  now += 1_000;
  provider.admit("opus")?.("failure", true); // the probe of both: the provider is there, the model is not
  expect(provider.openedAtMs).toBeNull();
  callModel(provider, "haiku", "failure");
  now += 1_500;
  expect(provider.admit("opus")).toBeNull();
  expect(provider.admit("haiku")).not.toBeNull();
});

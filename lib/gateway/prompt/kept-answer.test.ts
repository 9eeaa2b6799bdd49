// Answers kept for a payment: whoever sends the same payment and body opens them, and nobody else.

import { afterEach, expect, test, vi } from "vitest";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { openAnswer, sealAnswer } from "./kept-answer";

const request = { method: "POST", path: "/api/v1/x402/prompt", bodyText: '{"prompt":"¿Qué?"}', largeBody: undefined, headers: {} };
const answer = '{"text":"A quokka 🦘 smiles"}';

const useSettings = (settings: Record<string, string | undefined>) => {
  vi.unstubAllEnvs();
  vi.stubEnv("KEY_PEPPER", "a pepper of more than thirty-two characters");
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  forgetSingleton("config");
};
afterEach(() => {
  vi.unstubAllEnvs();
  forgetSingleton("config");
});

test("an answer is opened with its payment and body, and shows nothing of itself until then", () => {
  useSettings({});
  const kept = sealAnswer(answer, "payment pay_1", request);
  expect(kept).not.toContain("quokka");
  expect(sealAnswer(answer, "payment pay_1", request)).not.toBe(kept);
  expect(openAnswer(kept, "payment pay_1", request)).toBe(answer);
  const large = { ...request, bodyText: "", largeBody: Buffer.from(request.bodyText) };
  expect(openAnswer(kept, "payment pay_1", large)).toBe(answer);
});

test.each([
  ["another payment", "payment pay_2", request],
  ["another body", "payment pay_1", { ...request, bodyText: `${request.bodyText} ` }],
  ["another proof", "payment pay_1", { ...request, headers: { "payment-proof": "x" } }],
  ["another path", "payment pay_1", { ...request, path: "/api/v1/prompt" }],
])("with %s it stays closed", (_what, claim, other) => {
  useSettings({});
  const kept = sealAnswer(answer, "payment pay_1", request);
  expect(() => openAnswer(kept, claim, other)).toThrow("cannot be opened");
  const changed = `${kept.slice(0, -2)}${kept.endsWith("AA") ? "BB" : "AA"}`;
  expect(() => openAnswer(changed, "payment pay_1", request)).toThrow("cannot be opened");
});

test("while the pepper is changed both open it, and afterwards the new one alone", () => {
  useSettings({});
  const kept = sealAnswer(answer, "payment pay_1", request);
  useSettings({
    KEY_PEPPER: "another pepper of more than thirty-two characters",
    KEY_PEPPER_ALSO: "a pepper of more than thirty-two characters",
  });
  expect(openAnswer(kept, "payment pay_1", request)).toBe(answer);
  useSettings({ KEY_PEPPER: "another pepper of more than thirty-two characters" });
  expect(() => openAnswer(kept, "payment pay_1", request)).toThrow("cannot be opened");
});

test("an answer from before they were sealed is read as it is", () => {
  useSettings({});
  for (const kept of [answer, "event: delta\ndata: {}\n\n"]) expect(openAnswer(kept, "payment pay_1", request)).toBe(kept);
});

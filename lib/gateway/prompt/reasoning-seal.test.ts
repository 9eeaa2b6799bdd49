import { expect, test } from "vitest";
import type { AccountId } from "@/lib/base/ids";
import type { ModelRoute } from "@/lib/providers/model-route";
import { openReasoning, sealReasoning } from "./reasoning-seal";

process.env.KEY_PEPPER = "pepper-of-the-seal-test-0123456789abcdef";

const ours = "acct_1" as AccountId;
const route: ModelRoute = { provider: "anthropic", wireName: "claude-opus-5-5" };

test.each(["", "EqQBCgIYAhIM+/=", "with.dots.and\nlines", "ÿ – 思"])("sealed reasoning opens to its route and data: %j", (data) => {
  expect(openReasoning(ours, sealReasoning(ours, route, data))).toEqual({ madeBy: route, data });
});

test("a name with dots and slashes stays whole", () => {
  const odd: ModelRoute = { provider: "openai", wireName: "models/gpt.5/6" };
  expect(openReasoning(ours, sealReasoning(ours, odd, "data"))?.madeBy).toEqual(odd);
});

test("another account cannot open it", () => {
  expect(openReasoning("acct_2" as AccountId, sealReasoning(ours, route, "data"))).toBeNull();
});

test("any changed character is noticed", () => {
  const sealed = sealReasoning(ours, route, "EqQBCgIYAhIM");
  for (let at = 0; at < sealed.length; at++) {
    const other = sealed[at] === "A" ? "B" : "A";
    const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
    // The last of 43 base64 digits has two bits that mean nothing: such a change changes no byte.
    if (openReasoning(ours, changed) !== null) expect(at).toBe("pp1.".length + 42);
  }
  expect(openReasoning(ours, `${sealed}=`)).toBeNull();
  expect(openReasoning(ours, sealed.slice(0, -1))).toBeNull();
});

test.each(["", "pp1.", "EqQBCgIYAhIMsignature-of-another-service", `pp1.${"A".repeat(43)}.W10.`, `pp1.${"A".repeat(44)}.W10.x`])(
  "what another service made does not open: %j",
  (foreign) => expect(openReasoning(ours, foreign)).toBeNull(),
);

import { expect, test } from "vitest";
import { lowBalanceForm } from "./alerts/alerts-form";
import { readForm } from "./answer";
import { keyLimitsForm, newKeyForm } from "./keys/key-form";
import { proveJoinForm, sessionForm, walletForm } from "./settings-form";

const unreadable = "We couldn't read the form. Reload the page and try again.";
const key = { name: "ci", expiry: { kind: "never" }, cap: null, clip: null, alarm: null, models: null };

test("input that no page of ours sends gets a message for people, never the validator's own", () => {
  const strange: [Parameters<typeof readForm>[0], unknown][] = [
    [newKeyForm, { ...key, accountId: "acc_1" }],
    [newKeyForm, { ...key, name: 7 }],
    [newKeyForm, { ...key, expiry: { kind: "days", days: 8 } }],
    [newKeyForm, { ...key, expiry: { kind: "later" } }],
    [newKeyForm, { ...key, models: "all" }],
    [newKeyForm, null],
    [keyLimitsForm, "x"],
    [walletForm, { chain: "bitcoin", address: "1" }],
    [walletForm, { chain: "evm", address: "x".repeat(65) }],
    [proveJoinForm, { join: {} }],
    [sessionForm, undefined],
  ];
  for (const [form, input] of strange)
    expect(readForm(form, input), JSON.stringify(input)).toMatchObject({ ok: false, message: unreadable });
});

test("a person's mistake gets the form's own message, at its field", () => {
  expect(readForm(newKeyForm, { ...key, name: " " })).toMatchObject({
    field: "name",
    message: expect.stringContaining("Give the key a name"),
  });
  expect(readForm(newKeyForm, { ...key, models: [] })).toMatchObject({ field: "models", message: expect.stringContaining("at least one") });
  // A text that is too long can be typed: it gets its field and its limit.
  expect(readForm(lowBalanceForm, { amount: "1".repeat(501) })).toMatchObject({
    field: "amount",
    message: "Use at most 40 characters. This has 501.",
  });
  expect(readForm(sessionForm, { sessionId: "ses_" })).toMatchObject({ message: "This session no longer exists. Reload the page." });
});

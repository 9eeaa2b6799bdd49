// The forms of the alerts page and its URL: what a browser may send, and what is ignored.

import { expect, test } from "vitest";
import { readForm } from "../answer";
import {
  deliveryForm,
  endpointForm,
  endpointTypesForm,
  lowBalanceForm,
  newEndpointForm,
  readAlertsQuery,
  resendFailedForm,
  sampleForm,
} from "./alerts-form";

const endpointId = `end_${"0Az9".repeat(5)}`;
const deliveryId = `dlv_${"0af9".repeat(8)}`;
const webhook = { kind: "webhook", target: "https://example.com/hooks", types: null };

test("the threshold is read exactly, and an empty field turns it off", () => {
  const read = (amount: unknown) => readForm(lowBalanceForm, { amount });
  expect(read("0.000000001")).toEqual({ ok: true, form: { amount: 1n } });
  expect(read(" 5 ")).toEqual({ ok: true, form: { amount: 5_000_000_000n } });
  for (const empty of ["", "  "]) expect(read(empty)).toEqual({ ok: true, form: { amount: null } });
  for (const amount of ["-1", "1e3", "1,5", "0", "0.0000000001", "9".repeat(20), 5, null])
    expect(read(amount), String(amount)).toMatchObject({ ok: false, field: "amount" });
});

test("a new endpoint has a kind, a URL and its events, each once", () => {
  expect(readForm(newEndpointForm, webhook)).toEqual({ ok: true, form: { ...webhook, name: null } });
  for (const [name, kept] of [
    [" On call ", "On call"],
    ["x".repeat(64), "x".repeat(64)],
    ["  ", null],
  ])
    expect(readForm(newEndpointForm, { ...webhook, name })).toMatchObject({ ok: true, form: { name: kept } });
  for (const [field, text, message] of [
    ["name", "x".repeat(65), "Use at most 64 characters. This has 65."],
    ["name", "a\u202eb", "The name contains an invisible character. Type it again."],
    ["target", `https://example.com/${"x".repeat(2_001)}`, "Use at most 1,000 characters. This has 2,021."],
  ] as const)
    expect(readForm(newEndpointForm, { ...webhook, [field]: text })).toEqual({ ok: false, field, message });
  const some = { ...webhook, kind: "chat", types: ["balance.low", "key.spike", "balance.low"] };
  expect(readForm(newEndpointForm, some)).toMatchObject({ ok: true, form: { types: ["balance.low", "key.spike"] } });
  expect(readForm(newEndpointForm, { ...webhook, target: " " })).toMatchObject({
    ok: false,
    field: "target",
    message: "Enter the URL or email address to notify.",
  });
  expect(readForm(newEndpointForm, { ...webhook, types: [] })).toMatchObject({
    ok: false,
    field: "types",
    message: "Select at least one event, or all events.",
  });
  for (const part of [{ kind: "sms" }, { types: ["no.such"] }, { types: ["toString"] }, { target: 7 }, { accountId: "acc_1" }])
    expect(readForm(newEndpointForm, { ...webhook, ...part }).ok, JSON.stringify(part)).toBe(false);
});

test("an endpoint or delivery is named by its ID, a sample by its type, a resend by one of two spans", () => {
  expect(readForm(endpointForm, { endpointId })).toMatchObject({ ok: true });
  expect(readForm(endpointTypesForm, { endpointId, types: ["wallet.linked"] })).toMatchObject({ ok: true });
  expect(readForm(deliveryForm, { deliveryId })).toMatchObject({ ok: true });
  expect(readForm(sampleForm, { endpointId, type: "balance.low" })).toMatchObject({ ok: true });
  expect(readForm(resendFailedForm, { endpointId, hours: 168 })).toMatchObject({ ok: true });
  for (const id of [undefined, 7, "", "end_", "key_00000000000000000000", `${endpointId}0`])
    expect(readForm(endpointForm, { endpointId: id })).toMatchObject({ message: "This destination does not exist. Reload the page." });
  for (const id of [undefined, "dlv_", `dlv_${"z".repeat(32)}`])
    expect(readForm(deliveryForm, { deliveryId: id })).toMatchObject({ message: "This delivery no longer exists. Reload the page." });
  expect(readForm(sampleForm, { endpointId, type: "constructor" }).ok).toBe(false);
  expect(readForm(resendFailedForm, { endpointId, hours: 1_000 }).ok).toBe(false);
});

test("the URL's filters are read; what cannot be read is ignored", () => {
  const none = { endpoint: null, state: null, type: null, before: null, events: null };
  expect(readAlertsQuery({})).toEqual(none);
  const all = { endpoint: endpointId, state: "failed", type: "balance.low", before: deliveryId, events: "12" };
  expect(readAlertsQuery({ ...all, state: ["failed", "pending"] })).toEqual(all);
  const odd = { endpoint: "' OR true --", state: "lost", type: "toString", before: "dlv_1", events: "-1", utm_source: "x" };
  expect(readAlertsQuery(odd)).toEqual(none);
});

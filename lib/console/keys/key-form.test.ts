import { afterAll, afterEach, expect, test } from "vitest";
import { setClock } from "@/lib/base/clock";
import { listModels } from "@/lib/providers/catalogue";
import { endpointAt, setEndpoints } from "@/lib/providers/endpoints";
import { readForm } from "../answer";
import { keyChoiceForm, keyLimitsForm, keyNameForm, keyRotationForm, newKeyForm } from "./key-form";

afterAll(setEndpoints(new Map([["openai", endpointAt("openai", "http://127.0.0.1:1", "no-key")]])));

const start = Date.UTC(2026, 10, 21, 10, 31);
const DAY_MS = 86_400_000;
let restore = () => {};
afterEach(() => restore());

const access = { scopes: "spend_and_read", networks: "" };
const readAccess = { scopes: ["prompt", "read"], networks: [] };
const plain = { name: "ci", expiry: { kind: "never" }, cap: null, clip: null, alarm: null, models: null, ...access };
const read = (fields: object) => readForm(newKeyForm, { ...plain, ...fields });
const value = (fields: object) => {
  const answer = read(fields);
  if (!answer.ok) throw new Error(answer.message);
  return answer.form;
};
const keyId = "key_0123456789ABCDEFGHIJ";

test("a key needs a name and nothing else", () => {
  expect(value({})).toEqual({ name: "ci", expiry: null, cap: null, clip: null, alarm: null, models: null, ...readAccess });
});

test.each(["1", "256", " 512 ", "1000000"])("the minimum of a clip may be %j tokens", (minTokens) => {
  expect(value({ clip: { minTokens } }).clip).toBe(Number(minTokens));
});

test.each(["0", "-1", "1.5", "", "many", "1000001", "0x10", 256, null])("the minimum of a clip may not be %j", (minTokens) => {
  expect(read({ clip: { minTokens } })).toMatchObject({ ok: false, field: "clip" });
});

test("an alarm has a factor and an amount", () => {
  expect(value({ alarm: { factor: " 5 ", above: "2.50", pauses: true } }).alarm).toEqual({
    factor: 5,
    above: 2_500_000_000n,
    pauses: true,
  });
});

test.each([
  { factor: "1", above: "1", pauses: false },
  { factor: "101", above: "1", pauses: false },
  { factor: "2.5", above: "1", pauses: false },
  { factor: "5", above: "much", pauses: false },
  { factor: "5", above: "1", pauses: "yes" },
])("the alarm %j is refused", (alarm) => {
  expect(read({ alarm })).toMatchObject({ ok: false, field: expect.stringContaining("alarm") });
});

test.each([
  ["  production  ", "production"],
  ["<script>alert(1)</script>", "<script>alert(1)</script>"],
  ["x".repeat(60), "x".repeat(60)],
  ["🔑".repeat(60), "🔑".repeat(60)],
  ["👩‍💻 laptop", "👩‍💻 laptop"],
  ["e\u0301", "é"],
  ["'; DROP TABLE api_key; --", "'; DROP TABLE api_key; --"],
])("the name %j is kept as %j", (name, kept) => {
  expect(value({ name }).name).toBe(kept);
  expect(readForm(keyNameForm, { keyId, name })).toEqual({ ok: true, form: { keyId, name: kept } });
});

test.each([
  ["", "Give the key a name"],
  ["   ", "Give the key a name"],
  ["\u0301", "Give the key a name"],
  ["\u200d", "Give the key a name"],
  ["x".repeat(61), "at most 60 characters"],
  ["two\nlines", "invisible character"],
  ["nul\0", "invisible character"],
  ["bell\u0007", "invisible character"],
  ["abc\u202Etxt.exe", "invisible character"],
  ["\u2066isolated\u2069", "invisible character"],
  ["zero\u200bwidth", "invisible character"],
  ["\ud800", "invisible character"],
  [undefined, ""],
  [7, ""],
  [{ toString: "x" }, ""],
])("the name %j is refused", (name, words) => {
  expect(read({ name })).toMatchObject({ ok: false, field: "name", message: expect.stringContaining(words) });
});

test("a name of megabytes is refused without being read", () => {
  expect(read({ name: "x".repeat(5_000_000) })).toMatchObject({ ok: false, field: "name" });
});

test.each([
  [{ name: "x".repeat(2_001) }, "name", "Use at most 60 characters. This has 2,001."],
  [{ cap: { amount: "1".repeat(2_001), period: "day" } }, "cap", "Use at most 40 characters. This has 2,001."],
  [{ clip: { minTokens: "1".repeat(501) } }, "clip", "Use at most 10 characters. This has 501."],
  [{ networks: "1".repeat(20_001) }, "networks", "Use at most 1,000 characters. This has 20,001."],
])("a text that is too long is refused with its limit: %#", (fields, field, message) => {
  expect(read(fields)).toMatchObject({ ok: false, field, message });
});

test("an expiry in days counts from now, and an expiry date includes its whole day in UTC", () => {
  restore = setClock(() => start);
  expect(value({ expiry: { kind: "days", days: 30 } }).expiry).toEqual(new Date(start + 30 * DAY_MS));
  expect(value({ expiry: { kind: "date", date: "2026-12-31" } }).expiry).toEqual(new Date("2026-12-31T23:59:59.999Z"));
  expect(value({ expiry: { kind: "date", date: "2026-11-21" } }).expiry).toEqual(new Date("2026-11-21T23:59:59.999Z"));
});

test.each([
  [{ kind: "date", date: "2026-11-20" }, "This day has passed"],
  [{ kind: "date", date: "1999-01-01" }, "This day has passed"],
  [{ kind: "date", date: "2026-02-30" }, "Choose a day"],
  [{ kind: "date", date: "tomorrow" }, "Choose a day"],
  [{ kind: "date", date: "" }, "Choose a day"],
  [{ kind: "date", date: "2036-11-22" }, "within the next 10 years"],
  [{ kind: "date", date: "9999-12-31" }, "within the next 10 years"],
  [{ kind: "days", days: 31 }, ""],
  [{ kind: "days", days: -1 }, ""],
  [{ kind: "days" }, ""],
  [{ kind: "keep" }, ""],
  [null, ""],
])("the expiry %j is refused", (expiry, words) => {
  restore = setClock(() => start);
  expect(read({ expiry })).toMatchObject({ ok: false, field: "expiry", message: expect.stringContaining(words) });
});

test("a cap is an exact amount and its period", () => {
  expect(value({ cap: { amount: "0.000000001", period: "day" } }).cap).toEqual({ nanoUsd: 1n, period: "day" });
});

test.each([
  [{ amount: "1,5", period: "day" }, "Leave out commas"],
  [{ amount: "-5", period: "day" }, "above zero"],
  [{ amount: "1e3", period: "day" }, "Use only digits"],
  [{ amount: "0.0000000001", period: "day" }, "9 decimal places"],
  [{ amount: "9999999999999", period: "day" }, "Maximum: $"],
  [{ amount: 5, period: "day" }, ""],
  [{ amount: "5", period: "year" }, ""],
  [{ amount: "5" }, ""],
])("the cap %j is refused", (cap, words) => {
  expect(read({ cap })).toMatchObject({ ok: false, field: "cap", message: expect.stringContaining(words) });
});

test("models are kept by their catalogue name, each once", () => {
  const model = listModels().find(({ aliases }) => aliases.length > 0);
  const alias = model?.aliases[0] ?? "";
  expect(value({ models: [alias, model?.id, alias] }).models).toEqual([model?.id]);
});

test.each([
  [["gpt-nothing"], 'There is no model called "gpt-nothing"'],
  [["gpt-4", "<b>"], 'There is no model called "<b>"'],
  [[], "at least one model"],
  ["gpt-4", ""],
  [[7], ""],
])("the models %j are refused", (models, words) => {
  expect(read({ models })).toMatchObject({ ok: false, field: "models", message: expect.stringContaining(words) });
});

test.each([
  ["spend", ["prompt"]],
  ["spend_and_account", ["prompt", "read", "account"]],
  ["read", ["read"]],
  ["read_account", ["read", "account"]],
])("a key for %j has the scopes %j", (use, scopes) => {
  expect(value({ scopes: use }).scopes).toEqual(scopes);
});

test.each(["admin", "", "prompt", null, ["prompt"]])("a key for %j is refused", (use) => {
  expect(read({ scopes: use })).toMatchObject({ ok: false, field: "scopes" });
});

test("allowed addresses and blocks are separated by spaces, commas or lines", () => {
  const networks = ["203.0.113.7", "198.51.100.0/24", "2001:db8::/32", "::1"];
  expect(value({ networks: ` ${networks.join(",\n")} 203.0.113.7` }).networks).toEqual(networks);
});

test.each([
  ["203.0.113.0/33", "not an IP address"],
  ["203.0.113", "not an IP address"],
  ["203.0.113.7/", "not an IP address"],
  ["2001:db8::/129", "not an IP address"],
  ["203.0.113.7/24/8", "not an IP address"],
  ["example.com", "not an IP address"],
  ["loopback", "not an IP address"],
  ["0.0.0.0/0", "every address"],
  ["::/0", "every address"],
  [Array.from({ length: 21 }, (_, index) => `10.0.0.${index}`).join(" "), "at most 20"],
])("the allowed address %j is refused", (networks, words) => {
  expect(read({ networks })).toMatchObject({ ok: false, field: "networks", message: expect.stringContaining(words) });
});

test("a key with a new secret keeps its old one for 7 days at most", () => {
  expect(readForm(keyRotationForm, { keyId, overlap: "week" })).toEqual({ ok: true, form: { keyId, overlap: 7 * DAY_MS } });
  for (const overlap of ["month", "", 7, null]) expect(readForm(keyRotationForm, { keyId, overlap })).toMatchObject({ ok: false });
});

test("an unknown field is refused", () => {
  expect(read({ accountId: "acc_0123456789ABCDEFGHIJ" }).ok).toBe(false);
  for (const input of [null, undefined, "ci", [], 7]) expect(readForm(newKeyForm, input).ok).toBe(false);
});

test("an invalid key id finds no key", () => {
  for (const id of ["", "key_", "key_0123456789ABCDEFGHI", `${keyId}x`, `${keyId}\n`, "acc_0123456789ABCDEFGHIJ", null, 7, ["key_"]]) {
    expect(readForm(keyChoiceForm, { keyId: id })).toMatchObject({ ok: false, message: "Key not found. Reload the page." });
  }
  expect(readForm(keyChoiceForm, { keyId })).toEqual({ ok: true, form: { keyId } });
});

test("changing an existing key's limits can keep its expiry", () => {
  const input = { keyId, expiry: { kind: "keep" }, cap: null, clip: null, alarm: null, models: null, ...access };
  expect(readForm(keyLimitsForm, input)).toEqual({
    ok: true,
    form: { keyId, expiry: "keep", cap: null, clip: null, alarm: null, models: null, ...readAccess },
  });
  expect(readForm(keyLimitsForm, { ...input, expiry: { kind: "date", date: "1999-01-01" } })).toMatchObject({
    ok: false,
    field: "expiry",
    message: expect.stringContaining("This day has passed"),
  });
});

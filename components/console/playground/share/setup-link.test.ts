// Links that open a set-up: what goes in comes out, and nothing else gets in.

import { expect, test } from "vitest";
import { emptySetup } from "../chat/setup";
import { MAX_LINK_LENGTH, readSetupLink, writeSetupLink } from "./setup-link";

const setup = {
  ...emptySetup("gpt-4o-mini"),
  ...{ system: 'Be "brief". 🪙 é\n<script>', temperature: "0.5", effort: "low", tools: '[{"name":"f"}]', schema: '{"type":"object"}' },
};
const hashOf = (link: string): string => link.slice(link.indexOf("#"));
const encode = (value: unknown): string => `#setup=${Buffer.from(JSON.stringify(value)).toString("base64url")}`;

test("a link holds the set-up, in the fragment that no server gets, and nothing else of the page's address", () => {
  const written = writeSetupLink("https://penny.example/playground?model=grok#old", setup);
  if (!written.ok) throw new Error(written.problem);
  expect(written.link).toMatch(/^https:\/\/penny\.example\/playground#setup=[\w-]+$/);
  expect(readSetupLink(hashOf(written.link))).toEqual({ kind: "setup", setup });
});

test("a set-up without a system message, tools or schema comes back with empty fields", () => {
  expect(readSetupLink(encode({ v: 1, model: "grok" }))).toEqual({ kind: "setup", setup: { ...emptySetup("grok"), maxTokens: "" } });
});

test("a set-up that is too long for a link is refused with its size and the limit", () => {
  const written = writeSetupLink("https://penny.example/playground", { ...setup, system: "x".repeat(MAX_LINK_LENGTH) });
  expect(written).toMatchObject({ ok: false, problem: expect.stringMatching(/4\d,\d{3} characters\. At most 32,000 fit/) });
});

test.each([
  ["", { kind: "none" }],
  ["#section", { kind: "none" }],
  ["#setup=%%%", { kind: "broken" }],
  ["#setup=", { kind: "broken" }],
  ["#setup=AAAA", { kind: "broken" }],
  [encode(null), { kind: "broken" }],
  [encode([]), { kind: "broken" }],
  [encode({ v: 2, model: "grok" }), { kind: "broken", problem: expect.stringContaining("Its field v is missing or wrong.") }],
  [encode({ v: 1 }), { kind: "broken", problem: expect.stringContaining("Its field model is missing or wrong.") }],
  [encode({ v: 1, model: "grok", maxTokens: 5 }), { kind: "broken", problem: expect.stringContaining("Its field maxTokens") }],
  [encode({ v: 1, model: "grok", key: "pp_x" }), { kind: "broken", problem: expect.stringContaining("fields that are not known") }],
  [encode({ v: 1, model: "grok", __proto__: null, constructor: "x" }), { kind: "broken" }],
  [`#setup=${"A".repeat(MAX_LINK_LENGTH)}`, { kind: "broken", problem: expect.stringContaining("at most 32,000 are read") }],
])("%.60s is read as %j", (fragment, expected) => {
  expect(readSetupLink(fragment)).toMatchObject(expected);
});

// Providers as entries: a file that is wrong says where and how to mend it, and a key that is missing stops the start.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { readConfig } from "@/lib/base/config";
import { buildCatalogue } from "./catalogue";
import { isBilledWhenCut } from "./cut-calls/read-on";
import { type Endpoints, knownProviders, readEndpoints } from "./endpoints";
import { builtInEntries, readProvidersFile } from "./provider-entry";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function fileOf(content: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), "providers-file-"));
  folders.push(folder);
  const path = join(folder, "providers.json");
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

const acme = { id: "acme", baseUrl: "https://api.acme.example/v1", keyVariable: "ACME_API_KEY" };
const local = { id: "ollama", baseUrl: "http://127.0.0.1:11434/v1" };
const withKeys =
  (keys: Record<string, string>) =>
  (name: string): string | undefined =>
    keys[name];
const endpointsOf = (environment: Record<string, string>, keys: Record<string, string> = {}): Endpoints =>
  readEndpoints(readConfig({ SANDBOX_REAL_MODELS: "1", ...environment }), {}, "simulated", withKeys(keys));

test.each<[unknown, string]>([
  ["{", "it is not JSON"],
  [[], "the file:"],
  [{ provider: [] }, "providers"],
  [{ providers: [{ ...acme, url: "x" }] }, 'providers[0] "acme": entry: Unrecognized key: "url"'],
  [{ providers: [local, { ...acme, id: "Acme Inc" }] }, 'providers[1] "Acme Inc": id: write lower-case letters'],
  [{ providers: [{ ...acme, baseUrl: "api.acme.example" }] }, 'providers[0] "acme": baseUrl: write an http(s) URL'],
  [{ providers: [{ ...acme, keyVariable: "sk-live-abc" }] }, "keyVariable: write the name of an environment variable"],
  [{ providers: [{ ...acme, keyVariable: "KEY_PEPPER" }] }, "keyVariable: this variable is a setting of the gateway"],
  [{ providers: [{ ...acme, format: "soap" }] }, 'providers[0] "acme": format:'],
  [{ providers: [{ ...acme, dialect: { seeds: false } }] }, 'providers[0] "acme": dialect: Unrecognized key: "seeds"'],
  [{ providers: [{ ...acme, dialect: { seed: true } }] }, 'providers[0] "acme": dialect.seed:'],
  [{ providers: [{ ...acme, dialect: { body: { max_tokens: 5 } } }] }, "dialect.body.max_tokens"],
  [{ providers: [{ ...acme, dialect: { cacheScope: "model" } }] }, "dialect.cacheScope: this field is written by the gateway"],
  [{ providers: [acme, acme] }, 'providers[1] "acme": id: another provider has this name'],
  [{ providers: [{ ...acme, id: "openai" }] }, 'providers[0] "openai": id: another provider has this name'],
  [{ providers: [{ ...acme, id: "mistral" }] }, 'providers[0] "mistral": id: another provider has this name'],
])("a mistake in the file is named with its entry and field (%#)", (content, message) => {
  const path = fileOf(content);
  const read = () => endpointsOf({ PROVIDERS_FILE: path }, { ACME_API_KEY: "k" });
  expect(read).toThrow(message);
  expect(read).toThrow(`PROVIDERS_FILE ${path} is not usable:\n  `);
});

test("a file that is missing is named", () => {
  expect(() => readProvidersFile("/nowhere/providers.json", [])).toThrow("PROVIDERS_FILE /nowhere/providers.json is not usable");
});

test("an entry without its key stops the start in both modes, and says which variable to set", () => {
  const PROVIDERS_FILE = fileOf({ providers: [local, acme] });
  for (const SANDBOX_REAL_MODELS of ["0", "1"]) {
    for (const ACME_API_KEY of [undefined, ""]) {
      const keys: Record<string, string> = ACME_API_KEY === undefined ? {} : { ACME_API_KEY };
      expect(() => endpointsOf({ PROVIDERS_FILE, SANDBOX_REAL_MODELS }, keys)).toThrow(
        "PROVIDERS_FILE: the key of acme is missing: set ACME_API_KEY to it",
      );
    }
  }
});

test("an entry is reached at its URL, with its key and in its format; a server that wants no key needs none", () => {
  const PROVIDERS_FILE = fileOf({ providers: [{ ...acme, format: "anthropic" }, local] });
  const endpoints = endpointsOf({ PROVIDERS_FILE }, { ACME_API_KEY: "acme-key" });
  expect([...endpoints.keys()]).toEqual(["acme", "ollama"]);
  expect(endpoints.get("acme")).toMatchObject({ baseUrl: acme.baseUrl, apiKey: "acme-key", format: "anthropic", isVendorHost: false });
  expect(endpoints.get("ollama")).toMatchObject({ origin: "http://127.0.0.1:11434", pathPrefix: "/v1/", format: "openai" });
  expect(knownProviders(readConfig({ PROVIDERS_FILE })).slice(-2)).toEqual(["acme", "ollama"]);
});

test("a sandbox without real models reaches none of them: its money is free", () => {
  const PROVIDERS_FILE = fileOf({ providers: [acme] });
  const endpoints = endpointsOf({ PROVIDERS_FILE, GROQ_API_KEY: "k", SANDBOX_REAL_MODELS: "0" }, { ACME_API_KEY: "k" });
  expect([...endpoints.keys()]).toEqual([]);
});

test("a provider in code is offered once its key is set, with its models", () => {
  const todayMs = Date.parse("2026-11-26");
  for (const { id, keyVariable } of builtInEntries) {
    expect([...endpointsOf({}).keys()]).toEqual([]);
    const endpoints = endpointsOf({ [keyVariable]: "k" });
    expect([...endpoints.keys()]).toEqual([id]);
    const { models } = buildCatalogue({ endpoints, todayMs });
    expect(models.length, id).toBeGreaterThan(0);
    expect(models.every(({ routes }) => routes.every(({ provider }) => provider === id))).toBe(true);
  }
});

test("with every key the catalogue has at least 40 models of at least 8 vendors", () => {
  const names = ["OPENAI", "ANTHROPIC", "GEMINI", "XAI", "DEEPSEEK", "MISTRAL", "GROQ", "FIREWORKS", "MOONSHOT", "CEREBRAS"];
  const endpoints = endpointsOf(Object.fromEntries(names.map((name) => [`${name}_API_KEY`, "k"])));
  const { models } = buildCatalogue({ endpoints, todayMs: Date.parse("2026-11-26") });
  const prompts = models.filter(({ type }) => type === undefined);
  expect(prompts.length).toBeGreaterThanOrEqual(40);
  expect(new Set(prompts.map(({ routes }) => routes[0].provider)).size).toBeGreaterThanOrEqual(8);
});

test("a stream is cut only where the entry says that cutting stops the bill", () => {
  const modelAt = (environment: Record<string, string>) => {
    const model = buildCatalogue({ endpoints: endpointsOf(environment), todayMs: 0 }).byName.get("gpt-oss-120b");
    if (!model) throw new Error("it is not offered");
    return model;
  };
  expect(isBilledWhenCut(modelAt({ FIREWORKS_API_KEY: "k" }))).toBe(false);
  expect(isBilledWhenCut(modelAt({ GROQ_API_KEY: "k" }))).toBe(true);
  expect(isBilledWhenCut(modelAt({ GROQ_API_KEY: "k", FIREWORKS_API_KEY: "k" }))).toBe(true);
});

test("the providers and models of OPERATING.md are usable as they stand", () => {
  const guide = readFileSync(fileURLToPath(new URL("../../OPERATING.md", import.meta.url)), "utf8");
  const examples = [...guide.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, json = ""]) => JSON.parse(json) as object);
  const [providers, models] = [examples.find((one) => "providers" in one), examples.find((one) => "models" in one)];
  const [PROVIDERS_FILE, MODELS_FILE] = [fileOf(providers), fileOf(models)];
  const endpoints = endpointsOf({ PROVIDERS_FILE }, { OPENROUTER_API_KEY: "k", TOGETHER_API_KEY: "k" });
  const known = knownProviders(readConfig({ PROVIDERS_FILE }));
  const model = buildCatalogue({ endpoints, modelsFile: MODELS_FILE, providers: known, todayMs: 0 }).byName.get("llama-4-maverick");
  expect(model).toMatchObject({
    costs: [{ input: 300n, output: 900n }],
    routes: [
      { provider: "together", entry: { maxPrice: undefined } },
      { provider: "openrouter", entry: { maxPrice: { prompt: 0.3, completion: 0.9, request: 0 } } },
    ],
  });
});

// What catalogues in tests are built from: hosts of every provider, and an operator's file with a model of its own.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "@/lib/base/config";
import { type Endpoints, endpointAt, readEndpoints, vendorIds } from "../endpoints";

/** Each vendor at a host of ours, which serves every name. */
export const everyProvider: Endpoints = new Map(vendorIds.map((provider) => [provider, endpointAt(provider, "http://127.0.0.1:1", "k")]));

/** Each vendor at its own host, which serves none of its retired names. */
export const vendorHosts: Endpoints = readEndpoints(
  readConfig({
    SANDBOX_REAL_MODELS: "1",
    OPENAI_API_KEY: "k",
    ANTHROPIC_API_KEY: "k",
    GEMINI_API_KEY: "k",
    XAI_API_KEY: "k",
    DEEPSEEK_API_KEY: "k",
  }),
  {},
);
export const todayMs = Date.parse("2026-11-20");

/** Writes the operator's file; one of the cleanups deletes it. */
export function writeModelsFile(content: unknown, cleanups: (() => void)[]): string {
  const folder = mkdtempSync(join(tmpdir(), "models-file-"));
  cleanups.push(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "models.json");
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

export const newModel = {
  id: "my-model",
  routes: [{ provider: "openai", wireName: "llama" }],
  contextWindow: 8_000,
  maxOutputTokens: 500,
  inputPrice: "0.002",
  outputPrice: 1.5,
  providerInputCost: "0",
  providerOutputCost: "1.499",
};

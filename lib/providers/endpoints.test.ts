// Which provider is reached where: free sandbox money must never buy real answers unless the operator allowed it, and live mode must
// never reach a simulated provider.

import { expect, test } from "vitest";
import { readConfig } from "@/lib/base/config";
import { endpointAt, readEndpoints } from "./endpoints";

const simulated = { openai: "http://127.0.0.1:4000/openai/v1", gemini: "http://127.0.0.1:4000/gemini" };
const live = {
  MODE: "live",
  KEY_PEPPER: "p".repeat(32),
  SESSION_SECRET: "s".repeat(32),
  ROLES: "web",
  PUBLIC_URL: "https://pay.example",
  TREASURY_BASE_ADDRESS: `0x${"1".repeat(40)}`,
  TREASURY_SOLANA_ADDRESS: "1".repeat(32),
  DATABASE_URL: "postgresql://localhost/x",
};

test("the sandbox uses simulated providers, even when a real key is configured", () => {
  const endpoints = readEndpoints(readConfig({ OPENAI_API_KEY: "sk-real", ANTHROPIC_API_KEY: "sk-real" }), simulated);
  expect([...endpoints.keys()]).toEqual(["openai", "gemini"]);
  expect(endpoints.get("openai")).toMatchObject({
    baseUrl: simulated.openai,
    apiKey: "simulated-key",
    format: "openai",
    isVendorHost: false,
  });
});

test("SANDBOX_REAL_MODELS enables exactly the providers that have a key", () => {
  const endpoints = readEndpoints(readConfig({ SANDBOX_REAL_MODELS: "1", OPENAI_API_KEY: "sk-real" }), simulated);
  expect(endpoints.get("openai")).toMatchObject({
    baseUrl: "https://api.openai.com/v1",
    apiKey: "sk-real",
    format: "openai",
    isVendorHost: true,
  });
  expect(endpoints.get("gemini")?.apiKey).toBe("simulated-key");
});

test("live mode reaches only providers with a key, and nothing simulated", () => {
  const endpoints = readEndpoints(readConfig({ ...live, XAI_API_KEY: "k", XAI_BASE_URL: "https://proxy.example/v1/" }), simulated);
  expect([...endpoints.keys()]).toEqual(["xai"]);
  expect(endpoints.get("xai")).toMatchObject({ baseUrl: "https://proxy.example/v1", apiKey: "k", isVendorHost: false });
});

test("paths are appended to a base URL with exactly one slash, whatever it ends in", () => {
  expect(endpointAt("deepseek", "http://127.0.0.1:1/x//", "k")).toMatchObject({
    baseUrl: "http://127.0.0.1:1/x",
    origin: "http://127.0.0.1:1",
    pathPrefix: "/x/",
  });
  expect(endpointAt("deepseek", "http://127.0.0.1:1", "k").pathPrefix).toBe("/");
});

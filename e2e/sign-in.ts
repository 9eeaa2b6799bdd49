// Signing in without clicking, for tests whose subject is something else: the same two requests that the page makes, signed
// with a real key.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { APIRequestContext, BrowserContext } from "@playwright/test";
import { prove, type TestWallet } from "@/lib/console/testing/wallets";
import { demoSigners } from "@/lib/sandbox/demo-wallets";
import { baseUrl, expect } from "./browser";

interface SandboxFile {
  apiKey: string;
  wallets: { evm: { privateKey: string }[]; solana: { secretKey: string }[] };
  /** Where the chains are, once they run. */
  rpc: { base: string; solana: string };
  usdc: { base: string; solana: string };
}

/** What the sandbox under test wrote down. */
export const readSandbox = (): SandboxFile => JSON.parse(readFileSync(join(process.env.DATA_DIR ?? "", "sandbox.json"), "utf8"));

/** A wallet of the account that has 25 USD. */
export function demoWallet(chain: "evm" | "solana" = "evm"): TestWallet {
  const { evm, solana } = readSandbox().wallets;
  return { chain, ...demoSigners({ evm: evm[0]?.privateKey ?? "", solana: solana[0]?.secretKey ?? "" })[chain] };
}

export interface Challenge {
  nonce: string;
  text: string;
}

/** A text to sign. All tests are one client, which may ask so often a minute: then it waits, as it is told to. */
export async function fetchChallenge(
  request: APIRequestContext,
  { chain, address }: Pick<TestWallet, "chain" | "address">,
): Promise<Challenge> {
  const answer = await request.post("/api/auth/challenge", { headers: { origin: baseUrl() }, data: { chain, address } });
  if (answer.status() === 429) {
    await sleep(Number(answer.headers()["retry-after"]) * 1_000);
    return fetchChallenge(request, { chain, address });
  }
  expect(answer.status()).toBe(200);
  return answer.json();
}

/** Hands a proof in, as next-auth's browser part does; resolves with the reason when it was refused, null when not. */
export async function submitProof(
  request: APIRequestContext,
  proof: Awaited<ReturnType<typeof prove>>,
  origin = baseUrl(),
): Promise<{ status: number; error: string | null }> {
  const { csrfToken } = await (await request.get("/api/auth/csrf")).json();
  const form = { ...proof, csrfToken, callbackUrl: "/overview", json: "true" };
  const answer = await request.post("/api/auth/callback/wallet", { headers: { origin }, form });
  const { url } = await answer.json();
  return { status: answer.status(), error: new URL(url).searchParams.get("error") };
}

/** Signs the context in; its pages are the wallet's owner's from then on. */
export async function signIn({ request }: Pick<BrowserContext, "request">, wallet: TestWallet): Promise<void> {
  const outcome = await submitProof(request, await prove(wallet, await fetchChallenge(request, wallet)));
  expect(outcome).toEqual({ status: 200, error: null });
}

/** Who is signed in; {} for nobody. */
export async function readSession({ request }: Pick<BrowserContext, "request">): Promise<{ user?: { accountId: string } }> {
  return (await request.get("/api/auth/session")).json();
}

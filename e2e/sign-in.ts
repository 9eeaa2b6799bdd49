// Signing in without clicking, for tests about something else: the same two requests that the page makes, signed with a real key.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { APIRequestContext, BrowserContext } from "@playwright/test";
import { prove, type TestWallet } from "@/lib/console/testing/wallets";
import { demoSigners } from "@/lib/sandbox/demo-wallets";
import { baseUrl, expect } from "./browser";

interface SandboxFile {
  apiKey: string;
  wallets: { evm: { privateKey: string }[]; solana: { secretKey: string }[] };
  /** The chains' node URLs, once they run. */
  rpc: { base: string; solana: string };
  usdc: { base: string; solana: string };
}

/** The contents of the test sandbox's file. */
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

/** Requests a text to sign. */
export async function fetchChallenge(
  request: APIRequestContext,
  { chain, address }: Pick<TestWallet, "chain" | "address">,
): Promise<Challenge> {
  const answer = await request.post("/api/auth/challenge", { headers: { origin: baseUrl() }, data: { chain, address } });
  expect(answer.status()).toBe(200);
  return answer.json();
}

/** Submits a proof, as next-auth's browser code does; `error` is the reason of a refusal, otherwise null. */
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

/** Signs the context in; from then on its pages belong to the wallet's owner. */
export async function signIn({ request }: Pick<BrowserContext, "request">, wallet: TestWallet): Promise<void> {
  const outcome = await submitProof(request, await prove(wallet, await fetchChallenge(request, wallet)));
  expect(outcome).toEqual({ status: 200, error: null });
}

/** The signed-in owner; {} when signed out. */
export async function readSession({ request }: Pick<BrowserContext, "request">): Promise<{ user?: { accountId: string } }> {
  return (await request.get("/api/auth/session")).json();
}

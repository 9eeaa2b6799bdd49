// Contract wallets through the whole sign-in, on a real chain.

import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { setSandboxSessionSecret } from "@/lib/access/session-secret";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { startAnvil } from "@/lib/chains/evm/testing/anvil";
import { contractWallets } from "@/lib/chains/evm/testing/contract-wallets";
import { startFaultyNode } from "@/lib/chains/evm/testing/faulty-node";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { TestBrowser } from "../testing/browser";
import { openTestCustody } from "../testing/custody";
import { newWallet, prove, type TestWallet } from "../testing/wallets";

await openTestDatabase();

let anvil: Awaited<ReturnType<typeof startAnvil>>;
const address = `0x${"c0de".repeat(10)}` as const;

beforeAll(async () => {
  setSandboxSessionSecret("a session secret for tests, of more than 32 characters");
  [anvil] = await Promise.all([startAnvil(), openTestCustody()]);
});
afterEach(() => {
  vi.unstubAllEnvs();
  for (const name of ["config", "disagreement of nodes"]) forgetSingleton(name);
});
afterAll(() => anvil?.stop());

function setNode(url: string): void {
  vi.stubEnv("BASE_RPC_URLS", url);
  forgetSingleton("config");
}

/** A contract wallet that accepts this key's signatures as its own. */
async function contractOf(key: TestWallet): Promise<TestWallet> {
  await anvil.client.setCode({ address, bytecode: contractWallets.ownedBy(key.address) });
  return { ...key, address };
}

test("a contract wallet signs in with its owner's key, as itself and not as that key", async () => {
  setNode(anvil.url);
  const key = newWallet("evm");
  const [contract, own] = [new TestBrowser(), new TestBrowser()];
  expect(await contract.signIn(await contractOf(key))).toEqual({ status: 200, error: null });
  expect((await contract.session()).user?.wallet).toEqual({ chain: "evm", address });
  await own.signIn(key);
  expect((await own.session()).user?.accountId).not.toBe((await contract.session()).user?.accountId);
});

test("another key does not sign it in", async () => {
  setNode(anvil.url);
  await contractOf(newWallet("evm"));
  expect(await new TestBrowser().signIn({ ...newWallet("evm"), address })).toEqual({ status: 401, error: "bad_signature" });
});

test("while no node answers, the signature is not reported as bad", async () => {
  const wallet = await contractOf(newWallet("evm"));
  setNode("http://127.0.0.1:1");
  expect(await new TestBrowser().signIn(wallet)).toEqual({ status: 503, error: "contract_wallet_unavailable" });
});

test("one of two nodes alone signs no thief in, and shuts the owner out only with 503 and when to try again", async () => {
  const [key, thief] = [newWallet("evm"), newWallet("evm")];
  const wallet = await contractOf(key);
  vi.stubEnv("SINGLE_NODE", "refuse");
  for (const answer of [`0x${"1".padStart(64, "0")}`, `0x${"0".repeat(64)}`]) {
    const liar = await startFaultyNode(anvil.url, ({ method }) => (method === "eth_call" ? { rewrite: () => answer } : null));
    const honest = await startFaultyNode(anvil.url, () => null);
    setNode(`${liar.url},${honest.url}`);
    const signer = answer.endsWith("1") ? { ...thief, address } : wallet;
    expect(await new TestBrowser().signIn(signer)).toEqual({ status: 503, error: "contract_wallet_unavailable" });
    const browser = new TestBrowser();
    const fields = { ...(await prove(signer, await browser.challenge(signer))), json: "true", callbackUrl: "/overview" };
    const { csrfToken } = await (await browser.get("/api/auth/csrf")).json();
    const response = await browser.post("/api/auth/callback/wallet", { ...fields, csrfToken });
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await browser.session()).toEqual({});
    await Promise.all([liar.close(), honest.close()]);
  }
  setNode(`${anvil.url},${anvil.url}`);
  expect(await new TestBrowser().signIn(wallet)).toEqual({ status: 200, error: null });
});

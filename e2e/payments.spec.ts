// Paying per request from a wallet in the browser: approved once, signed for each prompt, shown with its change, and revoked. The chain
// itself confirms what moved.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "@playwright/test";
import { type Hex, hexToBigInt } from "viem";
import { createNodes } from "@/lib/chains/evm/nodes";
import { newWallet } from "@/lib/console/testing/wallets";
import { fundGas } from "@/lib/sandbox/evm-chain/gas";
import { createMinter } from "@/lib/sandbox/evm-chain/minter";
import { expectAccessible } from "./axe";
import { baseUrl, expect, open, test } from "./browser";
import { chooseFromList, chooseWallet } from "./connecting";
import { pressFaucet, untilChainsRun } from "./faucet";
import { demoWallet, readSandbox, signIn } from "./sign-in";
import { installEvmWallet, type SendingWallet } from "./wallets/evm-wallet";

test.setTimeout(120_000);

const SETTLED_MS = 30_000;

/** Gives a wallet gas money and USDC on the sandbox's EVM chain. */
async function fund(address: string, units: bigint): Promise<void> {
  const { chainKeys } = JSON.parse(readFileSync(join(process.env.DATA_DIR ?? "", "secrets.json"), "utf8"));
  const minter = createMinter(chainKeys.minter, 31_337);
  await createNodes({ urls: [readSandbox().rpc.base], chainId: 31_337 }).callFirst(async (node) => {
    await fundGas(node, address as Hex);
    if (units > 0n) await minter.mint(node, address as Hex, units);
  });
}

const word = (value: string): string => value.replace(/^0x/, "").toLowerCase().padStart(64, "0");

/** The USDC contract's answer, from the chain's own node. */
async function fetchUsdcText(selector: string, ...addresses: string[]): Promise<bigint> {
  const { rpc, usdc } = readSandbox();
  const data = selector + addresses.map(word).join("");
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_call", params: [{ to: usdc.base, data }, "latest"] });
  const answer = await fetch(rpc.base, { method: "POST", headers: { "content-type": "application/json" }, body });
  return hexToBigInt((await answer.json()).result);
}

const unitsOf = (address: string) => fetchUsdcText("0x70a08231", address);

async function allowanceOf(page: Page, address: string): Promise<bigint> {
  const { networks } = await (await page.request.get("/api/v1/payment-terms")).json();
  return fetchUsdcText("0xdd62ed3e", address, networks[0].settlementContract);
}

/** The contract is deployed automatically, some seconds after the chain runs. */
async function untilOffered(page: Page): Promise<void> {
  await untilChainsRun();
  const isDeployed = async () => (await (await page.request.get("/api/v1/payment-terms")).json()).networks[0]?.isDeployed;
  await expect.poll(isDeployed, { timeout: 60_000 }).toBe(true);
}

async function choose(part: Locator, page: Page, name: string): Promise<void> {
  await part.getByRole("button", { name: "Choose wallet" }).click();
  await chooseFromList(page, name);
}

/** Opens the playground's wallet payment, for a prompt that costs at most 5 cents. */
async function openPaying(page: Page, wallet: string | null): Promise<Locator> {
  await open(page, "/playground?model=gpt-4-turbo");
  await page.getByLabel("Prompt").fill("What is a nano-dollar?");
  await page.getByRole("button", { name: "Pay with my wallet" }).click();
  const part = page.getByRole("region", { name: "Pay with my wallet" });
  if (wallet) await choose(part, page, wallet);
  return part;
}

/** Approves 2.50 USDC, after a wrong network, an invalid amount, and a declined request. */
async function approve(page: Page, wallet: SendingWallet): Promise<void> {
  const main = page.getByRole("main");
  const { address } = wallet.keys();
  const press = () => main.getByRole("button", { name: "Approve USDC for payments" }).click();
  await wallet.changeNetwork(8_453);
  await expect(main.getByText(/This wallet is on another network/)).toBeVisible();
  await expect(main.getByLabel("Amount in USDC")).toBeHidden();
  await main.getByRole("button", { name: "Switch network" }).click();
  await main.getByLabel("Amount in USDC").fill("0.0000001");
  await press();
  await expect(main.getByText(/at most 6 decimal places/)).toBeVisible();
  await main.getByLabel("Amount in USDC").fill("2.50");
  wallet.decline("sign");
  await press();
  await expect(main.getByText("You declined in the wallet. Nothing was sent.")).toBeVisible();
  expect(await allowanceOf(page, address)).toBe(0n);
  await press();
  await expect(main.getByText("Approved. Payments you sign can take up to $2.50 from this wallet.")).toBeVisible();
  expect(await allowanceOf(page, address)).toBe(2_500_000n);
  // Never for a chain other than the sandbox's own.
  expect(wallet.asked.map(({ chainId }) => chainId)).toEqual(["0x7a69", "0x7a69"]);
}

/** Pays for a prompt, after a declined request; resolves with the change. */
async function payFromPlayground(page: Page, wallet: SendingWallet): Promise<string> {
  const { address } = wallet.keys();
  // The wallet is still connected on a newly opened page. The text on the page is exactly what it signs.
  const part = await openPaying(page, null);
  const text = part.getByRole("region", { name: "Your wallet signs this text" });
  await expect(text).toHaveText(/^PennyPrompt Payment\nRequest ID: req_\d+\nAmount: 5 USDC cents\nTimestamp: \d{13}$/);
  await expect(part.getByText("Any unused amount is added to your balance.")).toBeVisible();
  const sign = part.getByRole("button", { name: "Sign and pay $0.05" });
  wallet.decline("sign");
  await sign.click();
  await expect(part.getByText("You declined in the wallet. Nothing was signed.")).toBeVisible();
  expect(await unitsOf(address)).toBe(20_000_000n);
  await expect(sign).toBeEnabled();
  const shown = await text.textContent();
  await sign.click();
  const paid = page.getByText(/^Paid from the wallet: \$0\.05\. Change: \$0\.04\d+, in your balance\.$/);
  await expect(paid).toBeVisible({ timeout: SETTLED_MS });
  expect(wallet.signed.at(-1)).toBe(shown);
  expect(await unitsOf(address)).toBe(19_950_000n);
  expect(await allowanceOf(page, address)).toBe(2_450_000n);
  return /Change: (\$0\.04\d+)/.exec((await paid.textContent()) ?? "")?.[1] ?? "?";
}

test("a person approves USDC, pays for a prompt by signature, sees its cost and change, and revokes the rest", async ({
  page,
  context,
}) => {
  await untilOffered(page);
  const wallet = await installEvmWallet(context);
  const { address } = wallet.keys();
  await fund(address, 20_000_000n);
  await open(page, "/connect?next=/payments");
  await chooseWallet(page, "evm", wallet.name);
  await expect(page).toHaveURL("/payments");
  await expect(page.getByText("No payments yet")).toBeVisible();
  await approve(page, wallet);
  const change = await payFromPlayground(page, wallet);

  await open(page, "/payments");
  const main = page.getByRole("main");
  const row = main.getByRole("row").filter({ hasText: "$0.05" });
  await expect(row.getByText("paid", { exact: true })).toBeVisible();
  await expect(row).toContainText(change);
  await expect(main.getByText("$2.45", { exact: true })).toBeVisible();
  await main.getByRole("button", { name: "Revoke" }).click();
  await expect(main.getByText("Revoked. The payment contract can no longer take USDC from this wallet.")).toBeVisible();
  expect(await allowanceOf(page, address)).toBe(0n);
  await expect(main.getByRole("button", { name: "Revoke" })).toBeHidden();
});

test("an unlinked wallet sees what it lacks and approves on the spot, and its change waits until its owner signs in", async ({
  page,
  context,
}) => {
  await untilOffered(page);
  const wallet = await installEvmWallet(context);
  const { address } = wallet.keys();
  await fund(address, 0n);
  await signIn(context, newWallet("solana"));
  const part = await openPaying(page, wallet.name);
  await expect(part.getByText(/This wallet has \$0\.00 in USDC on Base\. This prompt needs \$0\.05/)).toBeVisible();
  await expect(part.getByText(/\$0\.05\. Add USDC to the wallet, lower max tokens, or use another wallet\.$/)).toBeVisible();
  await expectAccessible(page, "/playground, a wallet without USDC");
  await fund(address, 1_000_000n);
  await expect(part.getByText(/This wallet’s allowance is \$0\.00\. This prompt needs \$0\.05/)).toBeVisible({
    timeout: 20_000,
  });
  await expectAccessible(page, "/playground, an allowance that is too low");
  await part.getByRole("button", { name: "Approve USDC for payments" }).click();
  await expect(part.getByText(/stays as a credit of this wallet/)).toBeVisible({ timeout: SETTLED_MS });
  await expect(part.getByText(/^One payment of \$0\.05\. It expires five minutes after its timestamp\./)).toBeVisible();
  await expectAccessible(page, "/playground, a payment to sign");
  await expectToFit(page);
  await part.getByRole("button", { name: "Sign and pay $0.05" }).click();
  await expect(page.getByText(/Paid from the wallet: \$0\.05\. Change: \$0\.04\d+, kept as a credit of this wallet\./)).toBeVisible({
    timeout: SETTLED_MS,
  });
  await expectAccessible(page, "/playground with an answer that a wallet paid for");
  expect(await unitsOf(address)).toBe(950_000n);

  // After signing in with this wallet, its owner has the change in the balance, and sees the payment. The page is left first: without its
  // session it goes on asking, and each refusal is an error in the console.
  await page.goto("about:blank");
  await context.clearCookies();
  await signIn(context, wallet.keys());
  await open(page, "/payments");
  await expect(page.getByRole("main").getByRole("row").getByText("paid", { exact: true })).toBeVisible();
  await page.waitForLoadState("networkidle");
  await expectAccessible(page, "/payments with a payment");
  await expectToFit(page, 360);
  await open(page, "/overview");
  await expect(
    page
      .getByRole("main")
      .getByText(/^\$0\.04\d+$/)
      .first(),
  ).toBeVisible();
});

test("the demo wallet approves and pays too, for people without a wallet", async ({ page, context }) => {
  await untilOffered(page);
  await signIn(context, demoWallet());
  const part = await openPaying(page, "Demo wallet");
  const approve = part.getByRole("button", { name: "Approve USDC for payments" });
  const pay = part.getByRole("button", { name: "Sign and pay $0.05" });
  await expect(approve.or(pay)).toBeVisible({ timeout: SETTLED_MS });
  if (await approve.isVisible()) await approve.click();
  await pay.click({ timeout: SETTLED_MS });
  await expect(page.getByText(/Paid from the wallet: \$0\.05\./)).toBeVisible({ timeout: SETTLED_MS });
});

test("a new test wallet gets its gas and test USDC from the faucet, approves and pays for a request", async ({ page }) => {
  await untilOffered(page);
  await open(page, "/connect?next=/deposit");
  await chooseWallet(page, "evm", "New test wallet");
  await expect(page).toHaveURL("/deposit");
  await pressFaucet(page);
  await open(page, "/payments");
  const main = page.getByRole("main");
  const approve = main.getByRole("button", { name: "Approve USDC for payments" });
  await expect(approve).toBeEnabled({ timeout: SETTLED_MS });
  // Gas came with the deposit's test USDC.
  await expect(main.getByText(/Not enough ETH/)).toHaveCount(0);
  await main.getByRole("button", { name: "Send test USDC to this wallet" }).click();
  await expect(page.getByText("Test USDC and ETH for fees are on the way to this wallet.")).toBeVisible();
  await approve.click();
  await expect(main.getByText("Approved. Payments you sign can take up to $5.00 from this wallet.")).toBeVisible({ timeout: SETTLED_MS });
  const part = await openPaying(page, null);
  await part.getByRole("button", { name: "Sign and pay $0.05" }).click({ timeout: SETTLED_MS });
  await expect(page.getByText(/Paid from the wallet: \$0\.05\./)).toBeVisible({ timeout: SETTLED_MS });
});

test("a payment with an unknown outcome can be sent again, and pays once", async ({ page, context, watch }) => {
  watch.expect(/503/);
  await untilOffered(page);
  await signIn(context, demoWallet());
  const part = await openPaying(page, "Demo wallet");
  const approve = part.getByRole("button", { name: "Approve USDC for payments" });
  const pay = part.getByRole("button", { name: "Sign and pay $0.05" });
  await expect(approve.or(pay)).toBeVisible({ timeout: SETTLED_MS });
  if (await approve.isVisible()) await approve.click();
  await expect(pay).toBeVisible({ timeout: SETTLED_MS });
  // Other tests send from this wallet meanwhile; only payments use up its allowance.
  const before = await allowanceOf(page, demoWallet().address);
  // The answer is lost on its way, as when the chain does not respond in time.
  const pending = { error: "The payment's outcome is not known yet.", code: "SETTLEMENT_PENDING", details: { reason: "outcome_unknown" } };
  const bodies: (string | null)[] = [];
  await page.route("**/playground/answer", async (route) => {
    bodies.push(route.request().postData());
    if (bodies.length > 1) return route.continue();
    await route.fetch();
    return route.fulfill({ status: 503, json: { ...pending, requestId: "req_1" } });
  });
  await pay.click({ timeout: SETTLED_MS });
  await expect(page.getByText("Send it again in a moment. You never pay twice.")).toBeVisible({ timeout: SETTLED_MS });
  await expectAccessible(page, "/playground, a payment that is pending");
  await page.getByRole("button", { name: "Send again" }).click();
  await expect(page.getByText(/Paid from the wallet: \$0\.05\./)).toBeVisible({ timeout: SETTLED_MS });
  expect(bodies[1]).toBe(bodies[0]);
  expect(await allowanceOf(page, demoWallet().address)).toBe(before - 50_000n);
});

test("the docs' own lines set the wallet for their examples", async ({ page }) => {
  await untilOffered(page);
  await open(page, "/docs/payments");
  const code = (await page.getByRole("region", { name: "Set the wallet", exact: true }).locator("code").textContent()) ?? "";
  const printed = execFileSync("sh", ["-c", `${code}\necho "$WALLET_KEY $BASE_RPC_URL"`], { encoding: "utf8" });
  const { wallets, rpc } = readSandbox();
  expect(printed.trim()).toBe(`${wallets.evm[0]?.privateKey} ${rpc.base}`);
  for (const secret of [wallets.evm[0]?.privateKey ?? "?", rpc.base]) expect(await page.content()).not.toContain(secret);
  await page.getByText("Then: pay", { exact: true }).click();
  await expect(page.getByRole("region", { name: "Pay for a prompt", exact: true })).toContainText(`${baseUrl()}/api/v1`);
});

/** Nothing scrolls sideways, neither on a desktop nor on a phone. */
async function expectToFit(page: Page, phone = 390): Promise<void> {
  for (const viewport of [
    { width: phone, height: 844 },
    { width: 1280, height: 800 },
  ]) {
    await page.setViewportSize(viewport);
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    await expect.poll(overflow, `pixels that ${page.url()} scrolls sideways at ${viewport.width}`).toBe(0);
  }
}

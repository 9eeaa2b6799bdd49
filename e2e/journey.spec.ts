// A person's whole journey: from a wallet to a key, a paid answer, its charge, and the key's revocation.

import { execFileSync } from "node:child_process";
import type { Page } from "@playwright/test";
import { formatUsd, parseUsd } from "@/lib/base/money";
import { arriveAt, baseUrl, casesOf, expect, open, test } from "./browser";
import { chooseWallet, signOut } from "./connecting";
import { CREDITED_MS, pressFaucet, untilChainsRun } from "./faucet";
import { readSession } from "./sign-in";
import { installEvmWallet } from "./wallets/evm-wallet";
import type { ExtensionWallet } from "./wallets/extension-wallet";
import { installSolanaWallet } from "./wallets/solana-wallet";

const install = { evm: installEvmWallet, solana: installSolanaWallet };
const network = { evm: "Ethereum", solana: "Solana" };

for (const chain of casesOf(["evm", "solana"] as const, "evm")) {
  test(`with a wallet on ${network[chain]}: decline, sign in, fund, create a key, call, find the charge, pause, revoke, leave, return`, async ({
    page,
    context,
  }) => {
    test.setTimeout(150_000);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const wallet = await install[chain](context);
    const startedAt = Date.now();

    await declineThenSignIn(page, chain, wallet);
    const { user } = await readSession(context);
    expect(user?.accountId).toMatch(/^acc_/);
    await fund(page);
    const { key, curl } = await createKeyOnPage(page, "Production");
    const cost = callOnce(curl);
    await findCharge(page, "Production", cost);
    await pauseAndResume(page, "Production", key);
    await revoke(page, "Production", key);

    await signOut(page);
    await expect(page).toHaveURL("/connect");
    expect(await readSession(context)).toEqual({});
    await page.goto("/overview");
    await arriveAt(page, "/connect?next=%2Foverview");
    // An Ethereum wallet still shows its address; a Solana wallet must be chosen again.
    if (chain === "evm") await page.getByRole("button", { name: "Sign in", exact: true }).click();
    else await chooseWallet(page, chain, wallet.name);
    await expect(page).toHaveURL("/overview");
    expect((await readSession(context)).user?.accountId).toBe(user?.accountId);
    expect(wallet.signed).toHaveLength(2);
    await expect(page.getByRole("main")).toContainText(formatUsd(parseUsd("5") - cost));
    console.log(`      the whole way with a wallet on ${network[chain]} took ${((Date.now() - startedAt) / 1_000).toFixed(1)} s`);
  });
}

async function declineThenSignIn(page: Page, chain: "evm" | "solana", wallet: ExtensionWallet): Promise<void> {
  await open(page, "/");
  await page.getByRole("link", { name: "Connect wallet" }).first().click();
  wallet.decline("sign");
  await chooseWallet(page, chain, wallet.name);
  await expect(page.getByText("You declined in the wallet. Nothing was signed.")).toBeVisible();
  expect(await readSession(page.context())).toEqual({});
  expect(wallet.signed).toEqual([]);

  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page).toHaveURL("/overview");
  expect(wallet.signed).toHaveLength(1);
  expect(wallet.signed[0]).toMatch(
    new RegExp(`^${new URL(baseUrl()).host} wants you to sign in with your ${network[chain]} account:\n${wallet.keys().address}\n`),
  );
}

/** A new account has no money; the overview links to the faucet. */
async function fund(page: Page): Promise<void> {
  await expect(page.getByRole("main")).toContainText("$0.00");
  await page.getByRole("region", { name: "Get started" }).getByRole("link", { name: "Deposit" }).click();
  await expect(page).toHaveURL("/deposit");
  await untilChainsRun();
  await pressFaucet(page);
  await expect(page.getByRole("link", { name: "Available $5.00", exact: true })).toBeVisible({ timeout: CREDITED_MS });
}

/** Creates a key; it is shown once, and copied unchanged. */
async function createKeyOnPage(page: Page, name: string): Promise<{ key: string; curl: string }> {
  await open(page, "/keys");
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByRole("button", { name: "Create key" }).click();
  const key = (await dialog.getByRole("region", { name: "The new key" }).locator("code").textContent()) ?? "";
  expect(key).toMatch(/^pp_[0-9A-Za-z]{38}$/);
  await dialog.getByRole("button", { name: "Copy the key" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
  const curl = (await dialog.getByRole("region", { name: "Terminal" }).locator("code").textContent()) ?? "";
  // Neither Escape nor a click outside closes it.
  await page.keyboard.press("Escape");
  await page.mouse.click(5, 5);
  await expect(dialog).toBeVisible();
  await dialog.getByRole("button", { name: "I have stored it" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("row", { name })).toContainText(`…${key.slice(-4)}`);
  expect(await page.content()).not.toContain(key);
  await page.reload();
  expect(await page.content()).not.toContain(key);
  return { key, curl };
}

/** Runs the curl line from the page; resolves with its cost, nano-USD. */
function callOnce(curl: string): bigint {
  const answer = execFileSync("sh", ["-c", curl], { encoding: "utf8" });
  expect(JSON.parse(answer)).toMatchObject({ success: true });
  const [, cost = ""] = /"totalCost":\s*([\d.]+)/.exec(answer) ?? [];
  return parseUsd(cost);
}

/** The charge is in Usage, in its receipt and in the key's row, exact to the last digit. */
async function findCharge(page: Page, key: string, cost: bigint): Promise<void> {
  const amount = formatUsd(cost);
  await open(page, "/usage");
  await expect(page.getByLabel("Totals of all pages")).toContainText(amount);
  const row = page.getByRole("row").filter({ has: page.getByRole("link", { name: /^Receipt: / }) });
  await expect(row).toHaveCount(1);
  await expect(row).toContainText(amount);
  await expect(row).toContainText(key);
  await row.getByRole("link").click();
  await expect(page.getByRole("dialog", { name: "Receipt" })).toContainText(amount);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
  await open(page, "/keys");
  await expect(page.getByRole("row", { name: key })).toContainText(amount);
}

const statusWith = async (key: string): Promise<number> =>
  (await fetch(`${baseUrl()}/api/v1/balance`, { headers: { authorization: `Bearer ${key}` } })).status;

/** Waits until calls with the key get this status; a change of the key applies within a second. */
async function expectStatus(key: string, status: number): Promise<void> {
  await expect.poll(() => statusWith(key), { intervals: [50] }).toBe(status);
}

async function pauseAndResume(page: Page, name: string, key: string): Promise<void> {
  const menu = page.getByRole("button", { name: `Actions for ${name}` });
  await menu.click();
  await page.getByRole("menuitem", { name: "Pause" }).click();
  await expect(page.getByText("Paused. Calls with this key get 401 until you resume it.")).toBeVisible();
  await expectStatus(key, 401);
  await menu.click();
  await page.getByRole("menuitem", { name: "Resume" }).click();
  await expect(page.getByText("Resumed. Calls with this key work again.")).toBeVisible();
  await expectStatus(key, 200);
}

async function revoke(page: Page, name: string, key: string): Promise<void> {
  await page.getByRole("button", { name: `Actions for ${name}` }).click();
  await page.getByRole("menuitem", { name: "Revoke" }).click();
  await page.getByRole("alertdialog").or(page.getByRole("dialog")).getByRole("button", { name: "Revoke key" }).click();
  await expect(page.getByText("Revoked. Calls with this key now get 401.")).toBeVisible();
  await expectStatus(key, 401);
  await expect(page.getByText("No active keys")).toBeVisible();
}

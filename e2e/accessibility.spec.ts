// Every page and state, checked against axe-core's rules in both themes.

import type { Page } from "@playwright/test";
import { newWallet } from "@/lib/console/testing/wallets";
import { type Exception, expectAccessible, type Scan } from "./axe";
import { expect, open, test } from "./browser";
import { chooseFromList, chooseWallet, openAccountMenu } from "./connecting";
import { fundByFaucet } from "./faucet";
import { consolePages, publicPages } from "./page-list";
import { signIn } from "./sign-in";
import { installEvmWallet } from "./wallets/evm-wallet";
import { installSolanaWallet } from "./wallets/solana-wallet";

/** RainbowKit renders each wallet's icon as an image without a name, inside a button whose text is the wallet's name. */
const rainbowKit: readonly Exception[] = [{ rule: "role-img-alt", selector: '[data-testid^="rk-wallet-option-"] [role="img"]' }];

const scans: Scan[] = [];
const check = async (page: Page, state: string, exceptions: readonly Exception[] = []) => {
  scans.push(...(await expectAccessible(page, state, exceptions)));
};

for (const { path } of publicPages) {
  test(`${path} has no serious accessibility fault`, async ({ page }) => {
    await open(page, path);
    await check(page, path);
  });
}

test("a new account's pages have no serious accessibility fault", async ({ page, context }) => {
  test.setTimeout(60_000);
  await signIn(context, newWallet("solana"));
  for (const { path } of consolePages) {
    await open(page, path);
    await page.waitForLoadState("networkidle");
    await check(page, `${path} of a newcomer`);
  }
});

test("nor does the sign-in page, with each wallet list, and after declining", async ({ page, context }) => {
  const wallets = { evm: await installEvmWallet(context), solana: await installSolanaWallet(context) };
  await open(page, "/connect");
  for (const [chain, title] of [
    ["evm", "Ethereum wallet"],
    ["solana", "Solana wallet"],
  ] as const) {
    await page.getByRole("button", { name: title }).click();
    await expect(page.getByRole("dialog").getByRole("button", { name: wallets[chain].name })).toBeVisible();
    await check(page, `/connect, list of ${title}s`, chain === "evm" ? rainbowKit : []);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toBeHidden();
  }
  wallets.solana.decline("sign");
  await chooseWallet(page, "solana", wallets.solana.name);
  await expect(page.getByText("You declined in the wallet.")).toBeVisible();
  await check(page, "/connect after declining");
});

test("nor does the keys page, with everything that opens there", async ({ page, context }) => {
  await signIn(context, newWallet("evm"));
  await open(page, "/keys");
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog");
  await check(page, "/keys, create");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await expect(dialog.getByRole("alert").first()).toBeVisible();
  await check(page, "/keys, create, refused");
  await dialog.getByLabel("Name").fill("Production");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await expect(dialog.getByRole("region", { name: "The new key" })).toBeVisible();
  await check(page, "/keys, shown once");
  await dialog.getByRole("button", { name: "I have stored it" }).click();
  await expect(page.getByText("The key works from now on.")).toBeVisible();
  await check(page, "/keys with a key and a toast");
  const menu = page.getByRole("button", { name: "What to do with Production" });
  await menu.click();
  await expect(page.getByRole("menu")).toBeVisible();
  await check(page, "/keys, menu of a key");
  await page.getByRole("menuitem", { name: "Edit limits" }).click();
  await expect(dialog).toBeVisible();
  await check(page, "/keys, limits");
  await page.keyboard.press("Escape");
  await menu.click();
  await page.getByRole("menuitem", { name: "Revoke" }).click();
  await expect(page.getByRole("button", { name: "Revoke key" })).toBeVisible();
  await check(page, "/keys, revoke");
});

test("nor does the usage page, with a receipt", async ({ page }) => {
  test.setTimeout(120_000);
  await spendSomething(page);
});

test("nor does the settings page, with everything that opens there", async ({ page, context }) => {
  const wallets = { evm: await installEvmWallet(context), solana: await installSolanaWallet(context) };
  await signIn(context, newWallet("evm"));
  await open(page, "/settings");
  await openAccountMenu(page);
  await check(page, "/settings, menu of the account");
  await page.keyboard.press("Escape");
  await page.getByLabel("Warn when less is available than").fill("x");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("alert").first()).toBeVisible();
  await check(page, "/settings, a line that is no amount");
  await page.getByRole("button", { name: "Link another wallet" }).click();
  await page.getByRole("button", { name: "Solana wallet" }).click();
  await expect(page.getByRole("dialog").getByRole("button", { name: wallets.solana.name })).toBeVisible();
  await check(page, "/settings, link, list of Solana wallets");
  await chooseFromList(page, wallets.solana.name);
  await expect(page.getByRole("button", { name: "Sign with the new wallet" })).toBeVisible();
  await check(page, "/settings, link, step 1");
  await page.getByRole("button", { name: "Sign with the new wallet" }).click();
  await expect(page.getByText("Step 2 of 2")).toBeVisible();
  await check(page, "/settings, link, step 2");
  await page.getByRole("button", { name: "Sign out everywhere" }).click();
  await expect(page.getByRole("dialog").or(page.getByRole("alertdialog"))).toBeVisible();
  await check(page, "/settings, sign out everywhere");
});

/** Signs in with money, runs a prompt in the playground, and opens its receipt. */
async function spendSomething(page: Page): Promise<void> {
  await signIn(page.context(), newWallet("evm"));
  await fundByFaucet(page);
  await check(page, "/deposit with a deposit");
  await open(page, "/playground");
  await page.getByLabel("Prompt").fill("What is a nano-dollar?");
  await page.getByRole("button", { name: /^Run/ }).click();
  await expect(page.getByText("Available before:")).toBeVisible();
  await check(page, "/playground with an answer");
  await page.getByRole("button", { name: "View code" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await check(page, "/playground, view code");
  await open(page, "/overview");
  await check(page, "/overview with spend");
  await open(page, "/usage?by=model");
  await check(page, "/usage with spend");
  await page.getByRole("link", { name: /^Receipt: / }).click();
  await expect(page.getByRole("dialog", { name: "Receipt" })).toContainText("Model");
  await check(page, "/usage, receipt");
}

test.afterAll(() => {
  const states = new Set(scans.map(({ state }) => state)).size;
  const broken = scans.flatMap(({ broken }) => broken);
  const of = (impact: string) => broken.filter((line) => line.startsWith(`${impact} `)).length;
  const counts = ["critical", "serious", "moderate", "minor"].map((impact) => `${of(impact)} ${impact}`).join(", ");
  console.log(`axe-core: ${states} states in 2 themes, ${counts}`);
  for (const line of new Set(broken)) console.log(`  ${line}`);
  for (const line of new Set(scans.flatMap(({ excepted }) => excepted))) console.log(`  excepted: ${line}`);
});

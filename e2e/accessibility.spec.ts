// Every state of a page that somebody opens, checked against axe-core's rules in both themes; the pages themselves are scanned in
// every-page.spec.ts.

import type { Page } from "@playwright/test";
import { newWallet } from "@/lib/console/testing/wallets";
import { expectAccessible, printScans } from "./axe";
import { expect, open, test } from "./browser";
import { chooseFromList, chooseWallet, openAccountMenu } from "./connecting";
import { fundByFaucet } from "./faucet";
import { signIn } from "./sign-in";
import { installEvmWallet } from "./wallets/evm-wallet";
import { installSolanaWallet } from "./wallets/solana-wallet";

test("the sign-in page has no serious accessibility fault, with each wallet list, and after declining", async ({ page, context }) => {
  const wallets = { evm: await installEvmWallet(context), solana: await installSolanaWallet(context) };
  await open(page, "/connect");
  for (const [chain, title] of [
    ["evm", "Ethereum wallet"],
    ["solana", "Solana wallet"],
  ] as const) {
    await page.getByRole("button", { name: title }).click();
    await expect(page.getByRole("dialog").getByRole("button", { name: wallets[chain].name })).toBeVisible();
    await expectAccessible(page, `/connect, list of ${title}s`);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toBeHidden();
  }
  wallets.solana.decline("sign");
  await chooseWallet(page, "solana", wallets.solana.name);
  await expect(page.getByText("You declined in the wallet.")).toBeVisible();
  await expectAccessible(page, "/connect after declining");
});

test("nor does the keys page, with everything that opens there", async ({ page, context }) => {
  await signIn(context, newWallet("evm"));
  await open(page, "/keys");
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog");
  await expectAccessible(page, "/keys, create");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await expect(dialog.getByRole("alert").first()).toBeVisible();
  await expectAccessible(page, "/keys, create, refused");
  await dialog.getByText("Advanced").click();
  await expectAccessible(page, "/keys, create, advanced");
  await dialog.getByLabel("Name").fill("Production");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await expect(dialog.getByRole("region", { name: "The new key" })).toBeVisible();
  await expectAccessible(page, "/keys, shown once");
  await dialog.getByRole("button", { name: "I have stored it" }).click();
  await expect(page.getByText("Key created.")).toBeVisible();
  await expectAccessible(page, "/keys with a key and a toast");
  const menu = page.getByRole("button", { name: "Actions for Production" });
  await menu.click();
  await expect(page.getByRole("menu")).toBeVisible();
  await expectAccessible(page, "/keys, menu of a key");
  await page.getByRole("menuitem", { name: "Edit limits" }).click();
  await expect(dialog).toBeVisible();
  await expectAccessible(page, "/keys, limits");
  await page.keyboard.press("Escape");
  await menu.click();
  await page.getByRole("menuitem", { name: "Revoke" }).click();
  await expect(page.getByRole("button", { name: "Revoke key" })).toBeVisible();
  await expectAccessible(page, "/keys, revoke");
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
  await expectAccessible(page, "/settings, menu of the account");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Link another wallet" }).click();
  await page.getByRole("button", { name: "Solana wallet" }).click();
  await expect(page.getByRole("dialog").getByRole("button", { name: wallets.solana.name })).toBeVisible();
  await expectAccessible(page, "/settings, link, list of Solana wallets");
  await chooseFromList(page, wallets.solana.name);
  await expect(page.getByRole("button", { name: "Sign with the new wallet" })).toBeVisible();
  await expectAccessible(page, "/settings, link, step 1");
  await page.getByRole("button", { name: "Sign with the new wallet" }).click();
  await expect(page.getByText("Step 2 of 2")).toBeVisible();
  await expectAccessible(page, "/settings, link, step 2");
  await page.getByRole("button", { name: "Sign out everywhere" }).click();
  await expect(page.getByRole("dialog").or(page.getByRole("alertdialog"))).toBeVisible();
  await expectAccessible(page, "/settings, sign out everywhere");
});

test("nor does the alerts page, with everything that opens there", async ({ page, context }) => {
  await signIn(context, newWallet("evm"));
  await open(page, "/alerts");
  await page.getByLabel("Alert me when my balance falls below").fill("x");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("alert").first()).toBeVisible();
  await expectAccessible(page, "/alerts, a threshold that is no amount");
  await page.getByRole("button", { name: "Add destination" }).click();
  await page.getByRole("radio", { name: "Selected events" }).click();
  await expectAccessible(page, "/alerts, add destination");
});

/** Signs in with money, runs a prompt in the playground, and opens its receipt. */
async function spendSomething(page: Page): Promise<void> {
  await signIn(page.context(), newWallet("evm"));
  await fundByFaucet(page);
  await expectAccessible(page, "/deposit with a deposit");
  await open(page, "/playground");
  await page.getByLabel("Prompt").fill("What is a nano-dollar?");
  await page.getByRole("button", { name: /^Run/ }).click();
  await expect(page.getByText("Available now:")).toBeVisible();
  await expectAccessible(page, "/playground with an answer");
  await page.getByRole("button", { name: "View code" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await expectAccessible(page, "/playground, view code");
  await open(page, "/overview");
  await expectAccessible(page, "/overview with spend");
  await open(page, "/usage?by=model");
  await expectAccessible(page, "/usage with spend");
  await page.getByRole("link", { name: /^Receipt: / }).click();
  await expect(page.getByRole("dialog", { name: "Receipt" })).toContainText("Model");
  await expectAccessible(page, "/usage, receipt");
}

test.afterAll(printScans);

// An owner's account: linking another wallet, other browsers, the playground.

import type { BrowserContext, Page } from "@playwright/test";
import { newWallet, type TestWallet } from "@/lib/console/testing/wallets";
import { baseUrl, casesOf, expect, open, test, untilButtonsAnswer } from "./browser";
import { chooseFromList, chooseWallet } from "./connecting";
import { fundByFaucet, pressFaucet, untilChainsRun } from "./faucet";
import { demoWallet, readSession, signIn } from "./sign-in";
import { installEvmWallet } from "./wallets/evm-wallet";
import { installSolanaWallet } from "./wallets/solana-wallet";

const accountOf = async (page: Page) => (await readSession(page.context())).user?.accountId;

const confirmationOn = (page: Page) => page.getByRole("dialog", { name: "Confirm with your wallet" });

/** Signs what the page asks for. After a page was opened an Ethereum wallet connects again by itself, and a Solana wallet is chosen. */
async function signOn(page: Page, chain: "evm" | "solana", name: string): Promise<void> {
  const confirm = confirmationOn(page);
  const signs = confirm.getByRole("button", { name: "Sign and confirm" });
  const chooses = confirm.getByRole("button", { name: "Solana wallet" });
  await expect(signs.or(chooses).first()).toBeVisible();
  if (chain === "solana" && (await chooses.isVisible())) {
    await chooses.click();
    await chooseFromList(page, name);
  }
  await signs.click();
}

const pairs = [
  ["evm", "solana"],
  ["solana", "evm"],
] as const;

for (const [first, second] of casesOf(pairs, pairs[0])) {
  test(`a wallet of the other kind (${second}) is linked by two signatures, and then signs in to the account of the ${first} wallet`, async ({
    page,
    context,
  }) => {
    const wallets = { evm: await installEvmWallet(context), solana: await installSolanaWallet(context) };
    await open(page, "/connect");
    await chooseWallet(page, first, wallets[first].name);
    await expect(page).toHaveURL("/overview");
    const accountId = await accountOf(page);

    await open(page, "/settings");
    await page.getByRole("button", { name: "Link another wallet" }).click();
    await chooseWallet(page, second, wallets[second].name);
    wallets[second].decline("sign");
    await page.getByRole("button", { name: "Sign with the new wallet" }).click();
    await expect(page.getByText("You declined in the wallet. Nothing was signed.")).toBeVisible();
    await page.getByRole("button", { name: "Sign with the new wallet" }).click();
    // An Ethereum wallet still shows its address; a Solana wallet must be chosen again.
    const allow = page.getByRole("button", { name: "Sign with the linked wallet" });
    const choose = page.getByRole("button", { name: "Choose wallet" });
    await expect(allow.or(choose)).toBeVisible();
    if (first === "solana") {
      await choose.click();
      await chooseFromList(page, wallets[first].name);
    }
    await allow.click();
    await expect(page.getByText("Wallet linked. You can now sign in with it.")).toBeVisible();
    await expect(page.getByRole("button", { name: `Unlink ${wallets[second].keys().address}` })).toBeVisible();
    for (const { signed } of Object.values(wallets)) expect(signed.at(-1)).toContain(accountId);

    await context.clearCookies();
    await signIn(context, wallets[second].keys());
    expect(await accountOf(page)).toBe(accountId);

    // The first wallet signs that the second one leaves, and may have it kept until it is gone. The second one is too new for that.
    await context.clearCookies();
    await signIn(context, wallets[first].keys());
    await open(page, "/settings");
    await page.getByRole("button", { name: `Unlink ${wallets[first].keys().address}` }).click();
    await page.getByRole("button", { name: "Unlink wallet" }).click();
    await expect(page.getByText(/^Your other wallets were linked less than 24 hours ago/)).toBeVisible();
    const confirm = confirmationOn(page);
    const sign = () => signOn(page, first, wallets[first].name);
    await page.getByRole("button", { name: `Unlink ${wallets[second].keys().address}` }).click();
    await page.getByRole("button", { name: "Unlink wallet" }).click();
    await expect(confirm.getByText(`Unlink wallet ${wallets[second].keys().address} from account ${accountId}`)).toBeVisible();
    await sign();
    await expect(page.getByText("This wallet will be unlinked in 24 hours. You can keep it until then.")).toBeVisible();
    await expect(page.getByText("being unlinked", { exact: true })).toBeVisible();
    await expect(page.getByRole("button", { name: /^Unlink/ })).toHaveCount(0);
    expect(wallets[first].signed.at(-1)).toContain("in 24 hours");
    await page.getByRole("button", { name: `Keep ${wallets[second].keys().address}` }).click();
    await sign();
    await expect(page.getByText("This wallet stays linked.")).toBeVisible();
    await expect(page.getByText("being unlinked", { exact: true })).toHaveCount(0);
  });
}

/** Links `other` to the account of a new Solana wallet, up to the other wallet's signature. */
async function linkWithOwnAccount(page: Page, context: BrowserContext, other: TestWallet) {
  const wallet = await installSolanaWallet(context);
  await installEvmWallet(context, { keys: other });
  await open(page, "/connect");
  await chooseWallet(page, "solana", wallet.name);
  await expect(page).toHaveURL("/overview");
  await open(page, "/settings");
  await page.getByRole("button", { name: "Link another wallet" }).click();
  await chooseWallet(page, "evm", "Test Fox");
  await page.getByRole("button", { name: "Sign with the new wallet" }).click();
  return wallet;
}

test("a wallet that has signed in before, and never used its account, is linked: that account is merged", async ({
  page,
  context,
  browser,
}) => {
  const other = newWallet("evm");
  const elsewhere = await browser.newContext({ baseURL: baseUrl() });
  await signIn(elsewhere, other);
  const unused = (await readSession(elsewhere)).user?.accountId ?? "";
  const wallet = await linkWithOwnAccount(page, context, other);
  // Only a person who has signed with it learns that it has an account.
  await expect(page.getByText("Step 2 of 2")).toBeVisible();
  await expect(page.getByText("USDC sent to its deposit addresses later is credited to this account.")).toBeVisible();
  await expect(page.getByText(unused)).toBeVisible();
  await page.getByRole("button", { name: "Choose wallet" }).click();
  await chooseFromList(page, wallet.name);
  await page.getByRole("button", { name: "Sign with the linked wallet" }).click();
  await expect(page.getByText("Wallet linked. Its unused account was merged into this one.")).toBeVisible();
  await expect(page.getByRole("button", { name: `Unlink ${other.address}` })).toBeVisible();
  expect(wallet.signed.at(-1)).toContain(`Its own account ${unused}, which is unused, is merged into this one and closed.`);

  expect(await readSession(elsewhere)).toEqual({});
  await signIn(elsewhere, other);
  expect((await readSession(elsewhere)).user?.accountId).toBe(await accountOf(page));
  await elsewhere.close();
});

test("a wallet whose account got money is refused after its signature, and both accounts stay as they are", async ({
  page,
  context,
  browser,
}) => {
  const other = newWallet("evm");
  const elsewhere = await browser.newContext({ baseURL: baseUrl() });
  await signIn(elsewhere, other);
  const before = await readSession(elsewhere);
  const deposits = await elsewhere.newPage();
  await untilChainsRun();
  await open(deposits, "/deposit");
  await pressFaucet(deposits); // counts as money at once, before its deposit is seen
  await linkWithOwnAccount(page, context, other);
  await expect(
    page.getByText("This wallet has its own account with money, keys or history, so it cannot be merged. Nothing was changed."),
  ).toBeVisible();
  await expect(page.getByText("Step 1 of 2")).toBeVisible();
  expect(await readSession(elsewhere)).toEqual(before);
  await elsewhere.close();
});

/** As the playground keeps a conversation in this browser. */
const keepConversation = (page: Page) => page.evaluate(() => localStorage.setItem("playground:acc_1:chat:1", "{}"));
const countKept = (page: Page) => page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("playground:")).length);

test("signing out everywhere ends another browser's session, and its open page leads to sign-in", async ({
  page,
  context,
  browser,
  watch,
}) => {
  const wallet = newWallet("evm");
  await signIn(context, wallet);
  const elsewhere = await browser.newContext({ baseURL: baseUrl() });
  watch.also(elsewhere);
  await signIn(elsewhere, wallet);
  const other = await elsewhere.newPage();
  await open(other, "/overview");

  await open(page, "/settings");
  await keepConversation(page);
  await page.getByRole("button", { name: "Sign out everywhere" }).click();
  const dialog = page.getByRole("alertdialog").or(page.getByRole("dialog"));
  await expect(dialog).toContainText("All 2 sessions end, including this one.");
  await dialog.getByLabel("Pause all API keys too").check();
  await dialog.getByRole("button", { name: "Sign out everywhere" }).click();
  await expect(page).toHaveURL(/\/connect/);
  expect(await readSession(context)).toEqual({});
  expect(await countKept(page)).toBe(0);

  await expect(other).toHaveURL(/\/connect\?next=%2Foverview$/);
  expect(await readSession(elsewhere)).toEqual({});
  await elsewhere.close();
});

test("one other session can be ended alone", async ({ page, context, browser }) => {
  const wallet = newWallet("solana");
  await signIn(context, wallet);
  const elsewhere = await browser.newContext({ baseURL: baseUrl() });
  await signIn(elsewhere, wallet);
  await open(page, "/settings");
  await page.getByRole("button", { name: /^Sign out .*, signed in / }).click();
  await expect(page.getByText("Signed out that browser.")).toBeVisible();
  expect(await readSession(elsewhere)).toEqual({});
  expect(await readSession(context)).not.toEqual({});
  await elsewhere.close();
});

test("the playground streams an answer and shows its exact cost, and Usage lists it", async ({ page, context }) => {
  await signIn(context, demoWallet());
  await open(page, "/playground");
  await page.getByLabel("Prompt").fill("What is a nano-dollar?");
  await page.getByRole("button", { name: /^Run/ }).click();
  const cost = page.locator("dt", { hasText: /^Cost$/ }).locator("xpath=following-sibling::dd[1]");
  await expect(cost).toHaveText(/^\$0\.0\d+$/);
  const amount = (await cost.textContent()) ?? "";
  await expect(page.getByText("Simulated answer").first()).toBeVisible();
  await open(page, "/usage");
  const row = page.getByRole("row").filter({ has: page.getByRole("link", { name: /^Receipt: / }) });
  await expect(row.first()).toContainText(amount);
  await expect(row.first()).toContainText("Playground");

  await open(page, "/playground");
  await page.getByRole("button", { name: "View code" }).click();
  await page.getByRole("tab", { name: "Python" }).click();
  await expect(page.getByRole("region", { name: "Python" })).toContainText("/api/v1/prompt");
});

test("the playground tells a new account without money so before a run", async ({ page, context }) => {
  await signIn(context, newWallet("solana"));
  await open(page, "/playground");
  await page.getByLabel("Prompt").fill("Hello");
  await expect(page.getByRole("status").filter({ hasText: /^You need \$\S+ more to run this\.$/ })).toBeVisible();
});

test("an account with money says so before it is closed, and leads to Withdraw", async ({ page, context }) => {
  await signIn(context, newWallet("evm"));
  await fundByFaucet(page);
  await open(page, "/settings");
  await expect(page.getByRole("button", { name: "Close account" })).toBeDisabled();
  const notice = page.getByText("You have $5.00. Withdraw it before you close this account.");
  await expect(notice).toBeVisible();
  await page.getByRole("main").getByRole("link", { name: "Withdraw", exact: true }).click();
  await expect(page).toHaveURL("/withdraw");
});

test("an account is closed by a signature, and opened again by signing in", async ({ page, context }) => {
  const wallet = await installEvmWallet(context);
  await open(page, "/connect?next=/settings");
  await chooseWallet(page, "evm", wallet.name);
  await expect(page).toHaveURL("/settings");
  const accountId = await accountOf(page);
  await keepConversation(page);
  const closes = page.getByRole("button", { name: "Close account" });
  await closes.click();
  await page.getByRole("dialog", { name: "Close this account?" }).getByRole("button", { name: "Close account" }).click();
  await expect(confirmationOn(page).getByText(`Close account ${accountId} at PennyPrompt`)).toBeVisible();
  await signOn(page, "evm", wallet.name);
  await expect(page.getByText("Your account is closed. Sign in with one of its wallets to open it again.")).toBeVisible();
  expect((await readSession(context)).user).toBeUndefined();
  expect(await countKept(page)).toBe(0);
  await untilButtonsAnswer(page);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page).toHaveURL("/overview");
  expect(await accountOf(page)).toBe(accountId);
});

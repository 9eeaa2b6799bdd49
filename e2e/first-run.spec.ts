// A visitor without a wallet starts from zero with a new test wallet, and is led to the first call.

import { execFileSync } from "node:child_process";
import type { Page } from "@playwright/test";
import { arriveAt, baseUrl, casesOf, expect, open, reload, test, untilButtonsAnswer } from "./browser";
import { chooseWallet, signOut } from "./connecting";
import { createKey } from "./create-key";
import { CREDITED_MS, fundByFaucet, untilChainsRun } from "./faucet";
import { readSession } from "./sign-in";

test.setTimeout(120_000);

const accountOf = async (page: Page) => (await readSession(page.context())).user?.accountId;

test("a new test wallet opens an empty account, whose first steps are ticked off until they disappear", async ({ page }) => {
  await open(page, "/connect");
  await chooseWallet(page, "evm", "New test wallet");
  await expect(page).toHaveURL("/overview");
  const steps = page.getByRole("region", { name: "Get started" });
  const links = steps.getByRole("link");
  await expect(steps).toContainText("0 of 4 done");
  await expect(links).toHaveText(["Deposit", "Create key", "Open playground", "Set up alerts"]);

  await fundByFaucet(page);
  await open(page, "/overview");
  await expect(steps).toContainText("1 of 4 done");
  await expect(links).toHaveText(["Create key", "Open playground", "Set up alerts"]);

  await createKey(page, "First app");
  await open(page, "/overview");
  await expect(steps).toContainText("2 of 4 done");
  await links.first().click();
  await expect(page).toHaveURL("/playground");
  await open(page, "/playground");
  await page.getByLabel("Prompt").fill("What is a nano-dollar?");
  await page.getByRole("button", { name: /^Run/ }).click();
  await expect(page.getByText("Available now:")).toBeVisible();
  await open(page, "/overview");
  await expect(steps).toContainText("3 of 4 done");
  await links.click();
  await arriveAt(page, "/alerts");
  await page.getByLabel("Alert me when my balance falls below").fill("2");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Saved. We’ll alert you when your balance falls below $2.")).toBeVisible();
  await open(page, "/overview");
  await expect(page.getByRole("heading", { name: "Recent requests" })).toBeVisible();
  await expect(steps).toHaveCount(0);
});

/** Counts what a hand did on the page, over all its documents. */
async function countClicks(page: Page): Promise<() => number> {
  let clicks = 0;
  // A console message crosses from each document to the test.
  page.on("console", (message) => {
    if (message.text() === "counted click") clicks += 1;
  });
  await page.addInitScript(() => {
    window.addEventListener("pointerdown", ({ isTrusted }) => isTrusted && console.debug("counted click"), { capture: true });
  });
  return () => clicks;
}

const MOST_CLICKS = 12;
const MOST_MS = 180_000;

test("a stranger's first paid call takes at most 12 clicks and 3 minutes, from the landing page to the snippet's answer", async ({
  page,
  context,
}) => {
  test.setTimeout(MOST_MS + 60_000);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await untilChainsRun();
  const clicks = await countClicks(page);
  const startedAt = Date.now();
  await open(page, "/");
  await page
    .getByRole("link", { name: /^(Connect wallet|Get started|Sign in)/ })
    .first()
    .click();
  await arriveAt(page, /\/connect/);
  await chooseWallet(page, "evm", "New test wallet");
  await arriveAt(page, "/overview");
  await page.getByRole("region", { name: "Get started" }).getByRole("link", { name: "Deposit" }).click();
  await arriveAt(page, "/deposit");
  await page.getByRole("button", { name: "Send me 5 test USDC on Base" }).click();
  await expect(page.getByRole("main").getByText("credited", { exact: true })).toBeVisible({ timeout: CREDITED_MS });
  await page.getByRole("navigation", { name: "Console" }).first().getByRole("link", { name: "Keys", exact: true }).click();
  await arriveAt(page, "/keys");
  await page.getByRole("button", { name: "Create key" }).click();
  // The name has the focus: nobody clicks into it.
  await page.keyboard.type("My first app");
  await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  await page.getByRole("button", { name: "Copy: Terminal" }).click();
  const snippet = await page.evaluate(() => navigator.clipboard.readText());
  const answer = JSON.parse(execFileSync("sh", ["-c", snippet], { encoding: "utf8" }));
  expect(answer).toMatchObject({ success: true, cost: { totalCost: expect.any(Number) } });
  const ms = Date.now() - startedAt;
  console.log(`a stranger's first paid call took ${clicks()} clicks and ${Math.round(ms / 1_000)} s`);
  expect(clicks()).toBeGreaterThan(5);
  expect(clicks()).toBeLessThanOrEqual(MOST_CLICKS);
  expect(ms).toBeLessThan(MOST_MS);
  // It was paid: the balance is less by its cost.
  await page.getByRole("button", { name: "I have stored it" }).click();
  await untilButtonsAnswer(page);
  await expect(page.getByRole("row", { name: "My first app" })).toContainText("$0.00");
});

for (const chain of casesOf(["evm", "solana"] as const, "solana")) {
  test(`the ${chain} key of a new test wallet stays in its browser, and every browser has its own`, async ({ page, browser, watch }) => {
    await open(page, "/connect");
    await chooseWallet(page, chain, "New test wallet");
    await expect(page).toHaveURL("/overview");
    const account = await accountOf(page);
    await signOut(page);
    await expect(page.getByText("in New test wallet")).toBeVisible();
    await reload(page);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await expect(page).toHaveURL("/overview");
    expect(await accountOf(page)).toBe(account);

    const elsewhere = await browser.newContext({ baseURL: baseUrl() });
    watch.also(elsewhere);
    const other = await elsewhere.newPage();
    await open(other, "/connect");
    await chooseWallet(other, chain, "New test wallet");
    await expect(other).toHaveURL(/\/overview$/);
    expect(await accountOf(other)).not.toBe(account);
    await elsewhere.close();
  });
}

// A visitor without a wallet starts from zero with a new test wallet, and is led to the first call.

import type { Page } from "@playwright/test";
import { baseUrl, casesOf, expect, open, reload, test } from "./browser";
import { chooseWallet, signOut } from "./connecting";
import { createKey } from "./create-key";
import { fundByFaucet } from "./faucet";
import { readSession } from "./sign-in";

test.setTimeout(120_000);

const accountOf = async (page: Page) => (await readSession(page.context())).user?.accountId;

test("a new test wallet opens an empty account, whose first steps are ticked off until they disappear", async ({ page }) => {
  await open(page, "/connect");
  await chooseWallet(page, "evm", "New test wallet");
  await expect(page).toHaveURL("/overview");
  const steps = page.getByRole("region", { name: "Get started" });
  const links = steps.getByRole("link");
  await expect(steps).toContainText("0 of 3 done");
  await expect(links).toHaveText(["Deposit", "Create key", "Open playground"]);

  await fundByFaucet(page);
  await open(page, "/overview");
  await expect(steps).toContainText("1 of 3 done");
  await expect(links).toHaveText(["Create key", "Open playground"]);

  await createKey(page, "First app");
  await open(page, "/overview");
  await expect(steps).toContainText("2 of 3 done");
  await links.click();
  await expect(page).toHaveURL("/playground");
  await open(page, "/playground");
  await page.getByLabel("Prompt").fill("What is a nano-dollar?");
  await page.getByRole("button", { name: /^Run/ }).click();
  await expect(page.getByText("Available now:")).toBeVisible();
  await open(page, "/overview");
  await expect(page.getByRole("heading", { name: "Recent requests" })).toBeVisible();
  await expect(steps).toHaveCount(0);
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

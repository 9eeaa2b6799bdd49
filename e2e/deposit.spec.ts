// The deposit page while money arrives: it updates live, shows no other account's deposits, and ends with its session.

import { newWallet } from "@/lib/console/testing/wallets";
import { baseUrl, expect, open, test } from "./browser";
import { CREDITED_MS, fundByFaucet, pressFaucet, untilChainsRun } from "./faucet";
import { signIn } from "./sign-in";

test.setTimeout(120_000);

test("a deposit appears, is confirmed and credited live, on every page of its owner and on no other account's", async ({
  page,
  context,
  browser,
  watch,
}) => {
  const stranger = await browser.newContext({ baseURL: baseUrl() });
  watch.also(stranger);
  await signIn(context, newWallet("evm"));
  await signIn(stranger, newWallet("solana"));
  await untilChainsRun();
  const [other, theirs] = [await context.newPage(), await stranger.newPage()];
  for (const one of [page, other, theirs]) {
    await open(one, "/deposit");
    await expect(one.getByText("No deposits yet")).toBeVisible();
    await one.evaluate(() => document.body.setAttribute("data-loaded", "once"));
  }
  // It opens on the network of the wallet that signed in.
  await expect(page.getByRole("tab", { name: "Base" })).toHaveAttribute("aria-selected", "true");
  await expect(theirs.getByRole("tab", { name: "Solana" })).toHaveAttribute("aria-selected", "true");
  await pressFaucet(page);
  // The keyboard's focus stays where it was.
  await expect(page.getByRole("button", { name: "Send me 5 test USDC on Base" })).toBeFocused();
  const spoken = page.locator("main p[role=status]");
  // On a busy machine both arrive at once.
  await expect(spoken).toContainText(/\$5\.00 on Base was (seen|credited)\./);
  // Awaited from now on: it is shown for seconds, and a busy machine takes longer to look at both pages.
  const toast = page.getByText("$5.00 is in your balance.").waitFor({ timeout: CREDITED_MS });
  for (const one of [page, other]) {
    const row = one.getByRole("main").getByRole("row").filter({ hasText: "$5.00" });
    await expect(row.getByText("credited", { exact: true })).toBeVisible({ timeout: CREDITED_MS });
    await expect(one.getByRole("link", { name: "Available $5.00", exact: true })).toBeVisible();
    expect(await one.locator("body").getAttribute("data-loaded")).toBe("once");
  }
  await expect(spoken).toHaveText("$5.00 on Base was credited. Available: $5.00.");
  await toast;
  await expect(page.getByText("5 test USDC is on its way on Base.")).toBeHidden();
  for (const name of ["Amount", "Status", "Network", "Transaction", "Date"])
    await expect(page.getByRole("columnheader", { name })).toBeVisible();
  await expect(theirs.getByText("No deposits yet")).toBeVisible();
  expect(await theirs.locator("body").getAttribute("data-loaded")).toBe("once");

  // The full transaction hash, and no public explorer for a sandbox's chain.
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Copy the transaction" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^0x[0-9a-f]{64}$/);
  await expect(page.getByRole("link", { name: /Show the transaction/ })).toHaveCount(0);
  await stranger.close();
});

test("a page whose session is ended elsewhere leads to sign-in", async ({ page, context, browser, watch }) => {
  const wallet = newWallet("evm");
  const elsewhere = await browser.newContext({ baseURL: baseUrl() });
  watch.also(elsewhere);
  await signIn(context, wallet);
  await signIn(elsewhere, wallet);
  await open(page, "/deposit");
  await expect(page.getByText("No deposits yet")).toBeVisible();
  const settings = await elsewhere.newPage();
  await open(settings, "/settings");
  await settings.getByRole("button", { name: "Sign out everywhere" }).click();
  await settings.getByRole("dialog").getByRole("button", { name: "Sign out everywhere" }).click();
  await expect(page).toHaveURL("/connect?next=%2Fdeposit");
  await elsewhere.close();
});

test("a page that loses its connection says so, and catches up once reconnected", async ({ page, context, browser, watch }) => {
  const wallet = newWallet("evm");
  const elsewhere = await browser.newContext({ baseURL: baseUrl() });
  watch.also(elsewhere);
  await signIn(context, wallet);
  await signIn(elsewhere, wallet);
  watch.expect(/ERR_FAILED|ERR_INTERNET_DISCONNECTED/);
  await page.route("**/account/events*", (route) => route.abort());
  await open(page, "/deposit");
  const notice = page.getByRole("main").getByText("Not up to date. Reconnecting…");
  await expect(notice).toBeVisible();
  await fundByFaucet(await elsewhere.newPage());
  await expect(page.getByText("No deposits yet")).toBeVisible();
  await page.unroute("**/account/events*");
  await page.bringToFront();
  await expect(page.getByText("credited", { exact: true })).toBeVisible({ timeout: 40_000 });
  await expect(notice).toBeHidden();
  await elsewhere.close();
});

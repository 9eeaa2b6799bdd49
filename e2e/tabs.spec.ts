// Two tabs of one browser: each notices what the other does, and neither acts for an account that it does not show.

import { newWallet } from "@/lib/console/testing/wallets";
import { expect, open, test } from "./browser";
import { chooseWallet, signOut } from "./connecting";
import { readSession, signIn } from "./sign-in";
import { installEvmWallet } from "./wallets/evm-wallet";

const stale = "You are signed in with another wallet in another tab. Load this page again.";

test("a tab that still shows the previous account cannot change the one signed in now", async ({ page, context }) => {
  await page.route("**/account/events*", () => undefined); // it has not heard of the other sign-in yet
  await signIn(context, newWallet("evm"));
  await open(page, "/keys");
  await signIn(context, newWallet("evm"));
  await page.getByRole("button", { name: "Create key" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Name" }).fill("Not here");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await expect(dialog.getByRole("alert")).toHaveText(stale);
  await open(page, "/keys");
  await expect(page.getByText("Not here")).toHaveCount(0);

  await open(page, "/settings");
  await signIn(context, newWallet("evm"));
  await page.getByRole("button", { name: "Sign out everywhere" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Sign out everywhere" }).click();
  await expect(page.getByText(stale)).toBeVisible();
  expect(await readSession(context)).not.toEqual({});
});

test("the other tab notices signing in and out", async ({ page, context }) => {
  const wallet = await installEvmWallet(context);
  await open(page, "/connect");
  const before = newWallet("evm");
  await signIn(context, before);
  const other = await context.newPage();
  await open(other, "/overview");
  const account = other.getByRole("button", { name: /^Account/ });
  await expect(account).toContainText(before.address.slice(2, 6), { ignoreCase: true });
  await chooseWallet(page, "evm", wallet.name);
  await expect(page).toHaveURL("/overview");
  await expect(account).toContainText(wallet.keys().address.slice(2, 6), { ignoreCase: true });
  await signOut(page);
  await expect(other).toHaveURL(/\/connect\?next=%2Foverview$/);
});

test("while one tab links a wallet, switching its account signs no tab out; later, switching to an unlinked account does", async ({
  page,
  context,
}) => {
  const wallet = await installEvmWallet(context);
  await open(page, "/connect");
  await chooseWallet(page, "evm", wallet.name);
  await expect(page).toHaveURL("/overview");
  const first = wallet.keys();
  const other = await context.newPage();
  await open(other, "/overview");

  await open(page, "/settings");
  await page.getByRole("button", { name: "Link another wallet" }).click();
  await expect(page.getByText("Step 1 of 2")).toBeVisible();
  // The newly opened page is connected to the wallet again, and notices changes in it.
  await expect(page.getByText("The connected wallet is already linked.")).toBeVisible();
  const second = newWallet("evm");
  await wallet.switchTo(second);
  await page.getByRole("button", { name: "Sign with the new wallet" }).click();
  await expect(page.getByText("Step 2 of 2")).toBeVisible();
  await wallet.switchTo(first);
  await page.getByRole("button", { name: "Sign with the linked wallet" }).click();
  await expect(page.getByText("Linked. You can now sign in")).toBeVisible();
  await expect(other).toHaveURL("/overview");
  expect(await readSession(context)).not.toEqual({});

  await wallet.switchTo(newWallet("evm"));
  await expect(other).toHaveURL(/\/connect/);
  await expect(page).toHaveURL(/\/connect/);
  expect(await readSession(context)).toEqual({});
});

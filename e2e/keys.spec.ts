// A key's permissions and secrets, as their owner sets them.

import { newWallet } from "@/lib/console/testing/wallets";
import { arriveAt, expect, open, test } from "./browser";
import { chooseWallet } from "./connecting";
import { createKey } from "./create-key";
import { signIn } from "./sign-in";
import { installEvmWallet } from "./wallets/evm-wallet";

test("a key is limited to what it needs, gets a new secret, and its old one works until it is ended", async ({
  page,
  context,
  request,
}) => {
  // Not the demo's account: other tests look at its keys.
  await signIn(context, newWallet("evm"));
  const old = await createKey(page, "rotated");
  await page.getByRole("button", { name: "I have stored it" }).click();
  const menu = page.getByRole("button", { name: "Actions for rotated" });
  const statusOf = async (key: string, path = "/api/v1/balance") =>
    (await request.get(path, { headers: { authorization: `Bearer ${key}` } })).status();

  await menu.click();
  await page.getByRole("menuitem", { name: "Edit limits" }).click();
  const dialog = page.getByRole("dialog");
  const networks = dialog.getByLabel("Allowed IP addresses");
  await expect(networks).toBeHidden();
  await dialog.getByText("Advanced").click();
  await networks.fill("127.0.0.0/99");
  // Folded away again, it is shown with what is wrong.
  await dialog.getByText("Advanced").click();
  await dialog.getByRole("button", { name: "Save limits" }).click();
  await expect(dialog.getByText("is not an IP address or block")).toBeVisible();
  await expect(networks).toBeFocused();
  await dialog.getByLabel("Allowed IP addresses").fill("127.0.0.0/8 ::1");
  await dialog.getByLabel("Permissions").selectOption({ label: "Read its own usage" });
  await dialog.getByRole("button", { name: "Save limits" }).click();
  await expect(page.getByText("read only")).toBeVisible();
  await expect(page.getByText("2 allowed IP ranges")).toBeVisible();
  await expect.poll(() => statusOf(old, "/api/v1/events")).toBe(403);

  await menu.click();
  await page.getByRole("menuitem", { name: "New secret" }).click();
  await dialog.getByRole("button", { name: "Create new secret" }).click();
  const fresh = (await dialog.getByRole("region", { name: "The new key" }).locator("code").textContent()) ?? "";
  await page.getByRole("button", { name: "I have stored it" }).click();
  await expect(page.getByText(`old secret …${old.slice(-4)} works until`)).toBeVisible();
  for (const key of [old, fresh]) await expect.poll(() => statusOf(key)).toBe(200);

  await menu.click();
  await page.getByRole("menuitem", { name: "End the old secret" }).click();
  await expect(page.getByText(/old secret …/)).toHaveCount(0);
  await expect.poll(() => statusOf(old)).toBe(401);
  expect(await statusOf(fresh)).toBe(200);
});

test("a key without a cap is created only after a linked wallet signed what it is, and not when it declines", async ({ page, context }) => {
  const wallet = await installEvmWallet(context);
  await open(page, "/connect?next=/keys");
  await chooseWallet(page, "evm", wallet.name);
  await arriveAt(page, "/keys");
  await page.getByRole("button", { name: "Create key" }).first().click();
  const form = page.getByRole("dialog", { name: "Create key" });
  await form.getByLabel("Name").fill("unlimited");
  await form.getByLabel("Spending limit").selectOption("none");
  await form.getByRole("button", { name: "Create key" }).click();

  const confirm = page.getByRole("dialog", { name: "Confirm with your wallet" });
  await expect(
    confirm.getByText(/^Create the API key 'unlimited' at PennyPrompt\. It can spend the whole balance and read its own usage, until 20/),
  ).toBeVisible();
  wallet.decline("sign");
  await confirm.getByRole("button", { name: "Sign and confirm" }).click();
  await expect(confirm.getByText("You declined in the wallet. Nothing was signed.")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(form.getByText("Not signed. Nothing was changed.")).toBeVisible();
  await expect(form.getByLabel("Name")).toHaveValue("unlimited");

  await form.getByRole("button", { name: "Create key" }).click();
  await confirm.getByRole("button", { name: "Sign and confirm" }).click();
  await expect(page.getByRole("region", { name: "The new key" })).toBeVisible();
  expect(wallet.signed.at(-1)).toContain("Create the API key 'unlimited'");
});

test("a dialog begins at its first field, leads to what is wrong, and keeps what was typed when Back closes it", async ({
  page,
  context,
}) => {
  await signIn(context, newWallet("evm"));
  await open(page, "/overview");
  await page.getByRole("region", { name: "Get started" }).getByRole("link", { name: "Create key" }).click();
  await expect(page).toHaveURL("/keys");
  const dialog = page.getByRole("dialog", { name: "Create key" });
  const name = dialog.getByLabel("Name");
  await expect(name).toBeFocused();
  await page.keyboard.type("a b");
  await expect(name).toHaveValue("a b");

  // Longer than it may be: the field says so at once, and nothing is sent.
  await name.fill("x".repeat(2_001));
  await expect(dialog.getByRole("alert")).toHaveText("Use at most 60 characters. This has 2,001.");
  await dialog.getByLabel("Amount in USD", { exact: true }).focus();
  await dialog.getByRole("button", { name: "Create key" }).click();
  await expect(name).toBeFocused();
  await name.fill("🔑".repeat(50));
  await expect(dialog.getByText("50 of 60 characters")).toBeVisible();
  await name.fill("");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await expect(dialog.getByText("Give the key a name, such as where it will be used.")).toBeVisible();
  await expect(name).toBeFocused();
  await expect(name).toBeInViewport({ ratio: 1 });

  await name.fill("half a name");
  await dialog.getByLabel("Amount in USD", { exact: true }).fill("2");
  await page.goBack();
  await expect(dialog).toBeHidden();
  await expect(page).toHaveURL("/keys");
  await page.getByRole("button", { name: "Create key" }).click();
  await expect(name).toHaveValue("half a name");
  await expect(dialog.getByLabel("Amount in USD", { exact: true })).toHaveValue("2");
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();

  // A secret stays until it is stored, and is no part of what is kept.
  await page.getByRole("button", { name: "Create key" }).click();
  await dialog.getByRole("button", { name: "Create key" }).click();
  const shown = page.getByRole("region", { name: "The new key" });
  await expect(shown).toBeVisible();
  await page.goBack();
  await expect(shown).toBeVisible();
  await page.getByRole("button", { name: "I have stored it" }).click();
  await expect(page.getByRole("row", { name: "half a name" })).toBeVisible();
  await page.getByRole("button", { name: "Create key" }).click();
  await expect(name).toHaveValue("");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  // Each dialog has taken its step out of the history: Back leaves the page.
  await page.goBack();
  await expect(page).toHaveURL("/overview");
});

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
  await dialog.getByLabel("Allowed IP addresses").fill("127.0.0.0/99");
  await dialog.getByRole("button", { name: "Save limits" }).click();
  await expect(dialog.getByText("is no address and no block")).toBeVisible();
  await dialog.getByLabel("Allowed IP addresses").fill("127.0.0.0/8 ::1");
  await dialog.getByLabel("Permissions").selectOption({ label: "Read its own usage" });
  await dialog.getByRole("button", { name: "Save limits" }).click();
  await expect(page.getByText("read only")).toBeVisible();
  await expect(page.getByText("from 2 networks")).toBeVisible();
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

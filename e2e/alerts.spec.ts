// The alerts page: an endpoint is added, its secret is shown once, and a sample reaches a real receiver on this machine.

import { Webhook } from "standardwebhooks";
import { newWallet } from "@/lib/console/testing/wallets";
import { openReceiver, type Receiver } from "@/lib/events/testing/receiver";
import { expectAccessible } from "./axe";
import { expect, open, test } from "./browser";
import { signIn } from "./sign-in";

let receiver: Receiver;
test.beforeAll(async () => {
  receiver = await openReceiver();
});
test.afterAll(() => receiver.close());

test("a webhook is added, its secret shown once, and a sample is delivered, signed with it", async ({ page, context }) => {
  test.setTimeout(120_000);
  await signIn(context, newWallet("evm"));
  await open(page, "/alerts");
  await expect(page.getByText("No endpoints yet")).toBeVisible();
  await page.getByRole("button", { name: "Add endpoint" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("URL").fill("http://example.com/hooks");
  await dialog.getByRole("button", { name: "Add endpoint" }).click();
  await expect(dialog.getByRole("alert")).toHaveText("The URL must begin with https://.");
  await dialog.getByLabel("URL").fill(receiver.url);
  await dialog.getByRole("button", { name: "Add endpoint" }).click();
  const box = dialog.getByRole("region", { name: "The webhook's secret" });
  await expect(box).toBeVisible();
  const secret = (await box.locator("code").textContent()) ?? "";
  expect(secret).toMatch(/^whsec_/);
  await page.keyboard.press("Escape");
  await expect(box).toBeVisible();
  await dialog.getByRole("button", { name: "I have stored it" }).click();
  await expect(dialog).toBeHidden();

  const { host } = new URL(receiver.url);
  await expect(page.getByRole("list", { name: "Endpoints" })).toContainText(host);
  expect(await page.content()).not.toContain(secret);
  await page.getByRole("button", { name: `Actions for ${host}` }).click();
  await page.getByRole("menuitem", { name: "Send a sample" }).click();
  await dialog.getByLabel("Event").selectOption("key.spike");
  await dialog.getByRole("button", { name: "Send sample" }).click();

  const deliveries = page.getByRole("list", { name: "Deliveries" });
  await expect(deliveries).toContainText(/key\.spike \(sample\).*delivered/s, { timeout: 60_000 });
  const [sent] = receiver.received;
  const headers = Object.fromEntries(Object.entries(sent?.headers ?? {}).map(([name, value]) => [name, String(value)]));
  expect(new Webhook(secret).verify(sent?.body ?? "", headers)).toMatchObject({ type: "key.spike" });
  await deliveries.getByText("key.spike (sample)").click();
  await expect(deliveries.getByRole("list", { name: "Attempts" })).toContainText("status 200");
  await expectAccessible(page, "/alerts, with an open delivery");

  await page.getByLabel("State").selectOption("failed");
  await expect(page).toHaveURL("/alerts?state=failed");
  await expect(page.getByText("No deliveries match")).toBeVisible();
  await page.getByRole("button", { name: `Actions for ${host}` }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete endpoint" }).click();
  await expect(page.getByText("No endpoints yet")).toBeVisible();
});

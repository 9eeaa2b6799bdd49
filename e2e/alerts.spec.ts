// The alerts page: an endpoint is added, its secret is shown once, and a sample reaches a real receiver on this machine.

import type { Locator, Page } from "@playwright/test";
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
  await expect(page.getByText("Get notified about deposits, low balance and key activity.")).toBeVisible();
  await expect(page.getByText("No destinations yet")).toBeVisible();
  const dialog = await addNamed(page);
  const box = dialog.getByRole("region", { name: "The webhook's secret" });
  await expect(box).toBeVisible();
  const secret = (await box.locator("code").textContent()) ?? "";
  expect(secret).toMatch(/^whsec_/);
  await page.keyboard.press("Escape");
  await expect(box).toBeVisible();
  await dialog.getByRole("button", { name: "I have stored it" }).click();
  await expect(dialog).toBeHidden();

  const { host } = new URL(receiver.url);
  await expect(page.getByRole("list", { name: "Destinations" })).toContainText("On-call channel");
  await expect(page.getByRole("list", { name: "Destinations" })).toContainText(host);
  expect(await page.content()).not.toContain(secret);
  const menu = page.getByRole("button", { name: "Actions for On-call channel" });
  await menu.click();
  await page.getByRole("menuitem", { name: "Send a sample" }).click();
  // What is offered first frightens nobody.
  await expect(dialog.getByLabel("Event")).toHaveValue("deposit.credited");
  await dialog.getByRole("button", { name: "Send sample" }).click();

  const deliveries = page.getByRole("list", { name: "Deliveries" });
  await expect(deliveries).toContainText(/Deposit credited \(sample\).*deposit\.credited.*On-call channel.*delivered/s, {
    timeout: 60_000,
  });
  const [sent] = receiver.received;
  const headers = Object.fromEntries(Object.entries(sent?.headers ?? {}).map(([name, value]) => [name, String(value)]));
  expect(new Webhook(secret).verify(sent?.body ?? "", headers)).toMatchObject({ type: "deposit.credited", sample: true });
  await deliveries.getByText("Deposit credited (sample)").click();
  await expect(deliveries.getByRole("list", { name: "Attempts" })).toContainText("status 200");
  await expectAccessible(page, "/alerts, with an open delivery");

  await page.getByLabel("State").selectOption("failed");
  await expect(page).toHaveURL("/alerts?state=failed");
  await expect(page.getByText("No deliveries match")).toBeVisible();
  await menu.click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await dialog.getByLabel("Name (optional)").fill("");
  await dialog.getByRole("button", { name: "Rename" }).click();
  await page.getByRole("button", { name: `Actions for ${host}` }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await expect(dialog.getByRole("button", { name: "Cancel" })).toBeFocused();
  await page.getByRole("button", { name: "Delete destination" }).click();
  await expect(page.getByText("No destinations yet")).toBeVisible();
});

/** Adds the receiver under a name, after what is wrong and a step back, which keeps what was typed. */
async function addNamed(page: Page): Promise<Locator> {
  await page.getByRole("button", { name: "Add destination" }).click();
  const dialog = page.getByRole("dialog");
  // The operator has not set up e-mail.
  await expect(dialog.getByLabel("Type").locator("option")).toHaveText(["Webhook", "Slack or Discord"]);
  await dialog.getByLabel("URL").fill("http://example.com/hooks");
  await dialog.getByRole("button", { name: "Add destination" }).click();
  await expect(dialog.getByRole("alert")).toHaveText("The URL must begin with https://.");
  await expect(dialog.getByLabel("URL")).toBeFocused();
  await dialog.getByLabel("Name (optional)").fill("x".repeat(2_001));
  await expect(dialog.getByText("Use at most 64 characters. This has 2,001.")).toBeVisible();
  await dialog.getByLabel("Name (optional)").fill("On-call channel");
  await dialog.getByLabel("URL").fill(receiver.url);
  await page.goBack();
  await expect(dialog).toBeHidden();
  await page.getByRole("button", { name: "Add destination" }).click();
  await expect(dialog.getByLabel("Name (optional)")).toHaveValue("On-call channel");
  await dialog.getByRole("radio", { name: "Selected events" }).click();
  await expect(dialog.getByText("Deposit credited deposit.credited")).toBeVisible();
  await dialog.getByRole("radio", { name: "All events, including future ones" }).click();
  await dialog.getByRole("button", { name: "Add destination" }).click();
  return dialog;
}

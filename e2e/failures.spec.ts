import { newWallet } from "@/lib/console/testing/wallets";
import { baseUrl, expect, open, test } from "./browser";
import { createKey } from "./create-key";
import { signIn } from "./sign-in";

test("why a call failed is answered on the usage page: by status, by request id, and for its owner only", async ({ page, context }) => {
  await signIn(context, newWallet("evm"));
  const apiKey = await createKey(page, "failing");
  const ask = (model: string) =>
    context.request.post(`${baseUrl()}/api/v1/prompt`, {
      headers: { authorization: `Bearer ${apiKey}` },
      data: { model, prompt: "Hello" },
    });
  const unpaid = await ask("gpt-4o-mini");
  expect(unpaid.status()).toBe(402);
  expect((await ask("gpt-nowhere")).status()).toBe(400);
  const requestId = unpaid.headers()["x-request-id"] ?? "";

  await open(page, "/usage");
  // They are written once a second.
  await expect(async () => {
    await page.reload();
    await expect(page.getByRole("link", { name: "Refused 2" })).toBeVisible({ timeout: 1_000 });
  }).toPass();
  await page.getByRole("link", { name: "Refused 2" }).click();
  await expect(page).toHaveURL(/status=refused/);
  const rows = page.getByRole("table", { name: "Refused and failed requests" }).getByRole("row");
  await expect(rows).toHaveCount(3);
  await expect(rows.nth(1)).toContainText("INVALID_MODEL");
  await expect(rows.nth(2)).toContainText("Not enough USDC");

  await page.getByLabel("Find a request").fill(requestId);
  await page.getByRole("button", { name: "Find", exact: true }).click();
  const found = page.getByRole("region", { name: "Search result" }).or(page.locator("section", { hasText: "Search result" }));
  await expect(found.first()).toContainText("INSUFFICIENT_BALANCE");
  await found.first().getByRole("link", { name: "INSUFFICIENT_BALANCE" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("INSUFFICIENT_BALANCE");

  await page.setViewportSize({ width: 360, height: 740 });
  await open(page, "/usage?status=refused");
  const line = rows.nth(2);
  expect((await line.boundingBox())?.height).toBeLessThan(70);
  const fix = line.locator("details p").first();
  await expect(fix).toBeHidden();
  await line.locator("summary").focus();
  await page.keyboard.press("Enter");
  await expect(fix).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  await page.setViewportSize({ width: 1280, height: 800 });

  await context.clearCookies();
  await signIn(context, newWallet("solana"));
  await open(page, `/usage?request=${requestId}`);
  await expect(page.getByRole("alert").first()).toContainText("No request");
  await page.setViewportSize({ width: 360, height: 740 });
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await expect.poll(overflow).toBe(0);
});

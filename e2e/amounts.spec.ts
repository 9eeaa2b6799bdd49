// Amounts in the console: cents in headlines, the exact figure on demand, columns that line up, and sums that agree.

import type { Locator, Page } from "@playwright/test";
import { parseUsd } from "@/lib/base/money";
import { newWallet } from "@/lib/console/testing/wallets";
import { baseUrl, expect, open, test } from "./browser";
import { createKey } from "./create-key";
import { fundByFaucet } from "./faucet";
import { signIn } from "./sign-in";

/** Prices of different length: the costs have two to nine decimal places. */
const models = ["gpt-4-turbo", "gpt-4o-mini", "claude-haiku-4-5"];

async function sendPrompts(key: string): Promise<bigint> {
  let cost = 0n;
  for (const model of models) {
    const answer = await fetch(`${baseUrl()}/api/v1/prompt`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, prompt: "What is a nano-dollar?", maxTokens: 20 }),
    });
    const [, total = ""] = /"totalCost":\s*([\d.e-]+)/.exec(await answer.text()) ?? [];
    cost += parseUsd(total);
  }
  return cost;
}

/** An amount as the page writes it. */
const read = (text: string): bigint => parseUsd(text.replace(/[$,]/g, ""));
const sumOf = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, amount) => sum + amount, 0n);

/** The texts of the table's amounts. */
const amountsOf = (table: Locator): Promise<string[]> => table.locator("tbody td:last-child > span:first-child").allTextContents();

async function expectAligned(page: Page): Promise<string[]> {
  const table = page.getByRole("table").last();
  const texts = await amountsOf(table);
  expect(texts).toHaveLength(models.length);
  expect(new Set(texts.map((text) => text.split(".")[1]?.length))).toHaveProperty("size", 1);
  const edges = await table
    .locator("tbody td:last-child > span:first-child")
    .evaluateAll((cells) => cells.map((cell) => Math.round(cell.getBoundingClientRect().right)));
  expect(new Set(edges).size).toBe(1);
  return texts;
}

test("headlines show cents and the exact amount on focus, hover and tap; columns line up; rows, chart and totals agree", async ({
  browser,
  page,
  context,
}) => {
  test.setTimeout(120_000);
  await signIn(context, newWallet("evm"));
  await fundByFaucet(page);
  const cost = await sendPrompts(await createKey(page, "of an app"));

  await open(page, "/usage");
  const texts = await expectAligned(page);
  expect(sumOf(texts.map(read))).toBe(cost);
  const total = page.getByLabel("Totals of all pages").getByRole("button").first();
  const exact = total.locator("span").last();
  await expect(total).toHaveAccessibleName(/^\$0\.\d{3,}$/);
  expect(read((await exact.textContent()) ?? "")).toBe(cost);
  const chart = (await page.getByRole("img", { name: /^Spend by day/ }).getAttribute("aria-label")) ?? "";
  expect(read(/(\$[\d.,]+) in total/.exec(chart)?.[1] ?? "")).toBe(cost);
  await expect(exact).toBeHidden();
  await total.focus();
  await expect(exact).toBeVisible();
  await total.blur();
  await total.hover();
  await expect(exact).toBeVisible();

  await open(page, "/overview");
  expect(sumOf((await expectAligned(page)).map(read))).toBe(cost);
  const figures = page.getByRole("main").locator("dl");
  await expect(figures.getByRole("button").first()).toHaveText(/\$4\.9\d(?!\d)/);
  await expect(figures).toContainText("Reserved");
  const chartTotal = page.getByText("· Days are UTC").getByRole("button");
  expect(read((await chartTotal.locator("span").last().textContent()) ?? "")).toBe(cost);

  const phone = await browser.newContext({
    storageState: await context.storageState(),
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    baseURL: baseUrl(),
  });
  const small = await phone.newPage();
  for (const path of ["/overview", "/usage"]) {
    await open(small, path);
    await expectAligned(small);
    for (const figure of await small.getByRole("main").locator("dl").getByRole("button").all()) {
      await figure.tap();
      await expect(figure.locator("span").last()).toBeVisible();
      expect(await small.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    }
  }
  await phone.close();
});

test("below the alert the overview says so and leads to the alert and to a deposit", async ({ page, context }) => {
  await signIn(context, newWallet("evm"));
  await open(page, "/alerts");
  const alert = page.getByPlaceholder("5.00");
  await alert.fill("100");
  await alert.press("Enter");
  await expect(page.getByText(/^Saved/)).toBeVisible();
  await open(page, "/overview");
  const notice = page.getByRole("status").filter({ hasText: "Balance $0.00. Below your $100 alert · Edit" });
  await expect(notice.getByRole("link", { name: "Deposit" })).toHaveAttribute("href", "/deposit");
  await notice.getByRole("link", { name: "Edit" }).click();
  await expect(page).toHaveURL("/alerts");
});

test("the key form says what a key is for, and what it may do", async ({ page, context }) => {
  await signIn(context, newWallet("evm"));
  await open(page, "/keys?create");
  const dialog = page.getByRole("dialog", { name: "Create key" });
  await expect(dialog).toContainText("Use one key per app, so you can track and revoke it separately.");
  await dialog.getByText("Advanced").click();
  await expect(dialog.getByLabel("All models, including future ones")).toBeChecked();
  await dialog.getByLabel("Selected models").check();
  await dialog.getByLabel("Search models").fill("no such model");
  await expect(dialog).toContainText("No models match “no such model”.");
});

// The playground: what it says of a run's cost, what it keeps in the browser, and its width on a phone.

import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "@playwright/test";
import { whenLeftText } from "@/lib/base/when-left";
import { newWallet } from "@/lib/console/testing/wallets";
import { expect, open, reload, test } from "./browser";
import { chooseWallet, signOut } from "./connecting";
import { demoWallet, signIn } from "./sign-in";
import { forgetFreshness } from "./stale-session";
import { installEvmWallet } from "./wallets/evm-wallet";

const promptField = (page: Page) => page.getByLabel("Prompt", { exact: true });
const figure = (page: Page, name: string) => page.locator("dt", { hasText: name }).locator("xpath=following-sibling::dd[1]");
const costRow = (page: Page, name: RegExp) => page.getByRole("row", { name }).getByRole("cell");

async function run(page: Page, prompt: string): Promise<void> {
  await promptField(page).fill(prompt);
  await page.getByRole("button", { name: "Run", exact: true }).click();
}

/** Nano-USD of an amount on the page. */
function nanoOf(text: string): bigint {
  const [, sign, whole = "", fraction = ""] = /^(-?)\$([\d,]+)\.(\d+)$/.exec(text) ?? [];
  const nano = BigInt(whole.replaceAll(",", "") + fraction.padEnd(9, "0"));
  return sign === "-" ? -nano : nano;
}

const nanoIn = async (cell: ReturnType<typeof costRow>) => nanoOf((await cell.textContent()) ?? "");

test("a run's parts sum to its charge, and what is available is said once", async ({ page, context }) => {
  await signIn(context, demoWallet());
  await open(page, "/playground");
  // The balance is read late: until then nothing older stands beside the cost.
  await page.route("**/playground", async (route) => {
    if (route.request().method() === "POST") await sleep(1_500);
    await route.continue();
  });
  const now = page.getByText(/Available now:/);
  await run(page, "What is a nano-dollar?");
  await expect(costRow(page, /^Charged/)).toHaveText(/^\$0\.000\d+$/);
  await expect(now).toHaveCount(0);
  const parts = [await nanoIn(costRow(page, /^Input/)), await nanoIn(costRow(page, /^Output/))];
  for (const part of parts) expect(part).toBeGreaterThan(0n);
  expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(await nanoIn(costRow(page, /^Charged/)));
  await expect(now).toBeVisible();
  const [said = ""] = /\$[\d.,]+\d/.exec((await now.textContent()) ?? "") ?? [];
  expect(nanoOf(said)).toBe(await nanoIn(figure(page, "Available")));
  await expect(page.getByText(/before:/)).toHaveCount(0);
});

test("no estimate is above the maximum, and a run that went over it says so and adds up", async ({ page, context }) => {
  await signIn(context, demoWallet());
  await open(page, "/playground?model=gpt-4");
  await page.getByLabel("Max tokens").fill("16");
  await promptField(page).fill("Hi [[simulate: slow=200 tokens=16 usage=in:12,out:5000]]");
  const maximum = figure(page, "Maximum cost");
  await expect(maximum).toHaveText(/^\$0\.00\d+$/);
  const ceiling = await nanoIn(maximum);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const soFar = figure(page, "Cost so far");
  await expect(soFar).toHaveText(/^≈\$/);
  for (
    let reading = await soFar.textContent();
    reading?.startsWith("≈");
    reading = await soFar.textContent({ timeout: 500 }).catch(() => "")
  ) {
    expect(nanoOf(reading.slice(1))).toBeLessThanOrEqual(ceiling);
  }
  await expect(page.getByText("This run went over its maximum cost. You pay the maximum; we cover the rest.")).toBeVisible();
  const rows = [/^Input/, /^Output, 5,000 tokens/, /^Above the maximum, not charged/];
  const amounts = await Promise.all(rows.map((row) => nanoIn(costRow(page, row))));
  expect(amounts.reduce((sum, amount) => sum + amount, 0n)).toBe(ceiling);
  expect(await nanoIn(costRow(page, /^Charged/))).toBe(ceiling);
});

test("a prompt that was read from the cache has a line for it, and nothing that was not charged", async ({ page, context }) => {
  await signIn(context, demoWallet());
  await open(page, "/playground?model=gpt-4o-mini");
  await run(page, `${"word ".repeat(200)}[[simulate: cached=128 tokens=5]]`);
  await expect(costRow(page, /^Cached input, 128 tokens/)).toBeVisible();
  const rows = [/^Input, /, /^Cached input, /, /^Output, 5 tokens/];
  const amounts = await Promise.all(rows.map((row) => nanoIn(costRow(page, row))));
  expect(amounts.reduce((sum, amount) => sum + amount, 0n)).toBe(await nanoIn(costRow(page, /^Charged/)));
  await expect(page.getByText(/not charged|went over its maximum/)).toHaveCount(0);
});

/** Stop takes no click in the first 300 ms of a run: a double click on Run would stop it. */
async function stopAsAPerson(page: Page): Promise<void> {
  await page.waitForTimeout(400);
  await page.getByRole("button", { name: "Stop", exact: true }).first().click();
}

test("the Stop button says what stopping means, and a run that goes on at its provider is charged when that ends", async ({
  page,
  context,
}) => {
  await signIn(context, demoWallet());
  await open(page, "/playground?model=gpt-4o-mini");
  const stop = page.getByRole("button", { name: "Stop", exact: true }).first();
  await run(page, "Take your time. [[simulate: slow=100 tokens=60]]");
  await expect(stop).toHaveAccessibleDescription(whenLeftText.cut);
  await expect(figure(page, "Cost so far")).toHaveText(/^≈\$/);
  await stopAsAPerson(page);
  await expect(page.getByText(whenLeftText.cut)).toBeVisible();
  await expect(costRow(page, /^Charged/)).toBeVisible();

  await page.getByLabel("Model").selectOption("gemini-3.5-flash-lite");
  await run(page, "Take your time. [[simulate: slow=100 tokens=120]]");
  await expect(stop).toHaveAccessibleDescription(whenLeftText.drained);
  await expect(figure(page, "Cost so far")).toHaveText(/^≈\$/);
  await stopAsAPerson(page);
  await expect(page.getByText(whenLeftText.drained)).toBeVisible();
  await expect(page.getByText("finishing at the provider")).toBeVisible();
  await expect(costRow(page, /^Output, 120 tokens/)).toBeVisible({ timeout: 40_000 });
  await expect(page.getByText(whenLeftText.drained)).toBeVisible();
  await page.getByRole("link", { name: "Usage" }).first().click();
  await page
    .getByRole("link", { name: /^Receipt: gemini-3.5-flash-lite/ })
    .first()
    .click();
  await expect(page.getByRole("dialog").getByText(whenLeftText.drained)).toBeVisible();
});

test("a prompt longer than its model reads is reported before it runs, with a model that reads it", async ({ page, context }) => {
  await signIn(context, newWallet("evm"));
  await open(page, "/playground?model=gpt-4");
  await promptField(page).fill("word ".repeat(10_000));
  const notice = page.getByRole("status").filter({ hasText: "This prompt is too long for gpt-4" });
  await expect(notice).toContainText("about 12,503 tokens, and the model reads 8,192");
  await expect(page.getByRole("button", { name: "Run", exact: true })).toBeDisabled();
  await promptField(page).press("Enter");
  await expect(page.getByRole("article")).toHaveCount(0);
  await page.getByRole("button", { name: /^Use \S+ \([\d,]+\)$/ }).click();
  await expect(notice).toBeHidden();
  await expect(page.getByLabel("Model")).not.toHaveValue("gpt-4");
});

test("set-up, message and conversation survive a reload and a lost session, belong to one account, and end with signing out", async ({
  page,
  context,
  watch,
}) => {
  // The page asks for a price while its session is gone, or after another has taken its place.
  watch.expect(/status of 40[13]/);
  await signIn(context, demoWallet());
  await open(page, "/playground?model=grok-4.20");
  await page.getByLabel("System message").fill("Be brief.");
  await page.getByLabel("Max tokens").fill("64");
  await run(page, "What is kept?");
  const answer = page.getByText(/^Simulated answer/).first();
  await expect(costRow(page, /^Charged/)).toBeVisible();
  const text = await answer.textContent();
  await promptField(page).fill("An unsent message");

  await open(page, "/usage");
  await open(page, "/playground");
  await expect(promptField(page)).toHaveValue("An unsent message");
  await expect(page.getByLabel("System message")).toHaveValue("Be brief.");
  await expect(page.getByLabel("Max tokens")).toHaveValue("64");
  await expect(page.getByLabel("Model")).toHaveValue("grok-4.20");
  await expect(answer).toHaveText(text ?? "");
  await expect(costRow(page, /^Charged/)).toBeVisible();

  // The session ends elsewhere: the page says so, and the message stays.
  await context.clearCookies();
  await run(page, "What is kept now?");
  await expect(page.getByRole("alert").getByText("You are signed out.")).toBeVisible();
  await expect(page.getByRole("link", { name: "Connect wallet" })).toHaveAttribute("href", "/connect?next=/playground");

  await signIn(context, newWallet("solana"));
  await open(page, "/playground");
  await expect(page.getByText("No answer yet")).toBeVisible();
  await expect(promptField(page)).toHaveValue("");

  await context.clearCookies();
  await signIn(context, demoWallet());
  await open(page, "/playground");
  await expect(page.getByText("What is kept now?")).toBeVisible();
  await page.getByRole("button", { name: "Retry" }).click();
  await expect(costRow(page, /^Charged/)).toBeVisible();
  await signOut(page);
  await expect(page).toHaveURL("/connect");
  await signIn(context, demoWallet());
  await open(page, "/playground");
  await expect(page.getByText("No answer yet")).toBeVisible();
  await page.getByRole("button", { name: "Conversations", exact: true }).click();
  await expect(page.getByText("No conversations yet.")).toBeVisible();
});

test("a run that was under way when its page was reloaded keeps its text, and its cost is found", async ({ page, context }) => {
  await signIn(context, demoWallet());
  await open(page, "/playground");
  await run(page, "Take your time. [[simulate: slow=100 tokens=60]]");
  await expect(page.getByText(/^Simulated answer/).first()).toBeVisible();
  await reload(page);
  await expect(page.getByText(/^Simulated answer/).first()).toBeVisible();
  await expect(page.getByText("Stopped", { exact: true }).first()).toBeVisible();
  await expect(async () => {
    await page.reload();
    await expect(costRow(page, /^Charged/)).toBeVisible({ timeout: 2_000 });
  }).toPass();
});

test("a link chooses the model; one that is not on offer is reported, and a cheap one is the default", async ({ page, context }) => {
  await signIn(context, newWallet("evm"));
  await open(page, "/playground");
  const model = page.getByLabel("Model");
  const usual = await model.inputValue();
  expect(Number(/\/ \$([\d.]+)$/.exec((await model.locator("option:checked").textContent()) ?? "")?.[1])).toBeLessThan(5);
  await open(page, "/playground?model=claude-haiku-4-5");
  await expect(model).toHaveValue("claude-haiku-4-5");
  await promptField(page).fill("A draft with another model");
  await open(page, "/playground?model=gpt-4");
  await expect(model).toHaveValue("gpt-4");
  await expect(promptField(page)).toHaveValue("A draft with another model");
  await open(page, "/playground?model=gpt-0");
  await expect(page.getByText(`Unknown model “gpt-0”. Using ${usual} instead.`)).toBeVisible();
  await expect(model).toHaveValue(usual);
});

test("nothing scrolls sideways at 360 px: empty, running, done, failed, with code", async ({ page, context, watch }) => {
  watch.expect(/status of 50\d/);
  const expectToFit = async (state: string) => {
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(overflow, state).toBe(0);
    const wide = await page.evaluate(() =>
      [...document.querySelectorAll("main *")]
        .filter((element) => element.getBoundingClientRect().right > window.innerWidth)
        .map((element) => element.outerHTML.slice(0, 100)),
    );
    expect(wide, state).toEqual([]);
  };
  await page.setViewportSize({ width: 360, height: 740 });
  await signIn(context, demoWallet());
  await open(page, "/playground?model=gemini-3.5-flash-lite");
  await expectToFit("empty");
  await run(page, "Hi [[simulate: slow=150 tokens=40]]");
  await expect(figure(page, "Cost so far")).toHaveText(/^≈\$/);
  await expectToFit("running");
  await expect(costRow(page, /^Charged/)).toBeVisible();
  await expectToFit("done");
  await run(page, `[[simulate: text="${"unbroken".repeat(40)}\\n    const code = ${"x".repeat(200)};"]]`);
  await expect(costRow(page, /^Charged/)).toBeVisible();
  await expect(page.getByText(/^This conversation:/)).toBeVisible();
  await expectToFit("a long word");
  await run(page, "Hi [[simulate: status=500]]");
  await expect(page.getByRole("alert").filter({ hasText: "Nothing was charged" })).toBeVisible();
  await expectToFit("failed");
  await page.getByRole("button", { name: "Settings" }).click();
  await expectToFit("settings");
  await page.getByLabel("Model").selectOption("gpt-4");
  await promptField(page).fill("word ".repeat(10_000));
  await expect(page.getByRole("status").filter({ hasText: "too long" })).toBeVisible();
  await expectToFit("too long");
  await promptField(page).fill("x".repeat(300));
  await page.getByRole("button", { name: "View code" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toBeVisible();
  await expectToFit("code");
  expect(await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
});

test.describe(() => {
  // Others sign in to the demo account too: this session alone is aged.
  const userAgent = "a browser of long ago";
  test.use({ userAgent });

  test("above the day's limit without a fresh signature a run asks for one, and goes on once it is given", async ({
    page,
    context,
    watch,
  }) => {
    watch.expect(/status of 402/);
    const wallet = await installEvmWallet(context, { keys: demoWallet() });
    await open(page, "/connect?next=/playground?model=claude-fable-5-1");
    await chooseWallet(page, "evm", wallet.name);
    await expect(page).toHaveURL(/^[^?]*\/playground/);
    await forgetFreshness(userAgent);
    await reload(page);
    await page.getByLabel("Max tokens").fill("128000"); // $6.72 at the most
    await run(page, "Hi");
    await expect(page.getByText(/could exceed the playground's daily limit, which you can lift by signing/)).toBeVisible();
    await page.getByRole("button", { name: "Confirm with your wallet" }).click();
    const confirm = page.getByRole("dialog", { name: "Confirm with your wallet" });
    await expect(confirm.getByText(/for 15 minutes without a daily limit\.$/)).toBeVisible();
    await confirm.getByRole("button", { name: "Sign and confirm" }).click();
    await expect(costRow(page, /^Charged/)).toHaveText(/^\$0\.00\d+$/);
  });
});

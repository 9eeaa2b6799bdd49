// Pages of the console that are left open: they follow what happens elsewhere, in every tab and over one stream. And the console's frame:
// the balance in its header, and on a phone what its bottom bar has no space for.

import type { BrowserContext, Page } from "@playwright/test";
import { newWallet } from "@/lib/console/testing/wallets";
import { baseUrl, expect, open, test, untilButtonsAnswer } from "./browser";
import { createKey } from "./create-key";
import { fundByFaucet } from "./faucet";
import { consolePages, pagesToVisit } from "./page-list";
import { demoWallet, signIn } from "./sign-in";

test.use({ contextOptions: { reducedMotion: "no-preference" } });

const balance = (page: Page) => page.getByRole("link", { name: /^Available \$/ });

/** Sends a prompt; resolves with the request's id. */
async function sendPrompt(key: string): Promise<string> {
  const answer = await fetch(`${baseUrl()}/api/v1/prompt`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4-turbo", prompt: "What is a nano-dollar?", maxTokens: 20 }),
  });
  expect(answer.status).toBe(200);
  return (await answer.json()).requestId;
}

/** The browser's streams, each with the page that opened it. */
function watchStreams(context: BrowserContext): Page[] {
  const streams: Page[] = [];
  context.on("request", (request) => {
    if (request.url().includes("/account/events")) streams.push(request.frame().page());
  });
  return streams;
}

/** Pretends that the person has left the tab, or has come back to it. */
const setVisibility = (page: Page, state: DocumentVisibilityState) =>
  page.evaluate((visibilityState) => {
    Object.defineProperty(document, "visibilityState", { value: visibilityState, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, state);

test("Overview, Keys and Usage in three tabs follow a request and a new key over one stream; when its tab closes, another takes over", async ({
  page,
  context,
}) => {
  test.setTimeout(120_000);
  await signIn(context, newWallet("evm"));
  await fundByFaucet(page);
  const key = await createKey(page, "of a program", "2");
  await page.close();
  const streams = watchStreams(context);
  const tabs: Page[] = [];
  for (const path of ["/overview", "/usage", "/keys"]) {
    const tab = await context.newPage();
    await open(tab, path);
    await tab.evaluate(() => document.body.setAttribute("data-loaded", "once"));
    tabs.push(tab);
  }
  const [overview, usage, keys] = tabs as [Page, Page, Page];
  const listed = (tab: Page, requestId: string) => tab.locator(`a[href$="${requestId}"]`).first();
  const first = await sendPrompt(key);
  for (const tab of [overview, usage]) await expect(listed(tab, first)).toBeVisible();
  const available = (await balance(overview).textContent()) ?? "";
  expect(available).toMatch(/^Available \$4\.99\d+/);
  await expect(balance(keys)).toHaveText(available);
  expect(streams).toHaveLength(1);

  await streams[0]?.close();
  const left = tabs.filter((tab) => !tab.isClosed());
  await expect.poll(() => streams.length).toBe(2);
  const second = await sendPrompt(key);
  const other = await context.newPage();
  await createKey(other, "made elsewhere", "2");
  for (const tab of left.filter((one) => one !== keys)) await expect(listed(tab, second)).toBeVisible();
  if (left.includes(keys)) await expect(keys.getByRole("row", { name: "made elsewhere" })).toBeVisible();
  for (const tab of left) expect(await tab.locator("body").getAttribute("data-loaded")).toBe("once");
  expect(streams).toHaveLength(2);
});

test("a tab in the background has no stream, and catches up when it is shown again", async ({ page, context }) => {
  await signIn(context, newWallet("evm"));
  const streams = watchStreams(context);
  await open(page, "/keys");
  await expect.poll(() => streams.length).toBe(1);
  await setVisibility(page, "hidden");
  const other = await context.newPage();
  await createKey(other, "made meanwhile");
  await expect.poll(() => streams.length).toBe(2);
  expect(streams[1]).toBe(other);
  await page.waitForTimeout(2_000);
  await expect(page.getByText("made meanwhile")).toHaveCount(0);
  await setVisibility(page, "visible");
  await expect(page.getByRole("row", { name: "made meanwhile" })).toBeVisible();
  expect(streams).toHaveLength(2);
});

test("where the browser has no locks, each tab has its own stream", async ({ context }) => {
  await context.addInitScript(() => Object.defineProperty(navigator, "locks", { value: undefined }));
  await signIn(context, newWallet("evm"));
  const streams = watchStreams(context);
  const [page, other] = [await context.newPage(), await context.newPage()];
  await open(page, "/keys");
  await open(other, "/keys");
  await expect.poll(() => streams).toEqual([page, other]);
  await createKey(other, "seen in both");
  await expect(page.getByRole("row", { name: "seen in both" })).toBeVisible();
});

test("an open dialog keeps what is typed into it, and the page catches up once it is closed", async ({ page, context }) => {
  await signIn(context, newWallet("evm"));
  await open(page, "/keys");
  await page.getByRole("button", { name: "Create key" }).first().click();
  const name = page.getByRole("dialog").getByLabel("Name");
  await name.fill("half a name");
  const other = await context.newPage();
  await createKey(other, "of the other tab");
  await page.waitForTimeout(3_000);
  await expect(name).toHaveValue("half a name");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("row", { name: "of the other tab" })).toBeVisible();
});

test("the balance is in every header, exact when it is focused, and leads to the deposit page; Models and Docs are beside it", async ({
  page,
  context,
}) => {
  await signIn(context, demoWallet());
  for (const { path } of pagesToVisit(consolePages)) {
    await open(page, path);
    await expect(balance(page)).toHaveText(/\$\d+\.\d\d/);
    await expect(balance(page)).toHaveAttribute("href", "/deposit");
  }
  const exact = /\$[\d,]+\.\d+ available/;
  await expect(page.getByText(exact)).toBeHidden();
  await page.keyboard.press("Tab");
  while (!(await balance(page).evaluate((link) => link === document.activeElement))) await page.keyboard.press("Tab");
  await expect(page.getByText(exact)).toBeVisible();
  const site = page.getByRole("navigation", { name: "Site" });
  await expect(site.getByRole("link", { name: "Models" })).toHaveAttribute("href", "/models");
  await expect(site.getByRole("link", { name: "Docs" })).toHaveAttribute("href", "/docs");
});

test("on a phone of 360 px the header fits, and More leads to the other pages by keyboard and marks the open one", async ({
  page,
  context,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await signIn(context, demoWallet());
  await open(page, "/overview");
  const more = page.getByRole("button", { name: "More" });
  await expect(more).not.toHaveAttribute("aria-current");
  await more.focus();
  await page.keyboard.press("Enter");
  const menu = page.getByRole("menu");
  const names = ["Withdraw", "Alerts", "Playground", "Pay per request", "Activity", "Settings", "Models", "Docs"];
  await expect(menu.getByRole("menuitem")).toHaveText(names.map((name) => new RegExp(name)));
  await page.keyboard.press("Escape");
  await expect(more).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(menu.getByRole("menuitem", { name: "Withdraw" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/withdraw");
  await untilButtonsAnswer(page);
  await expect(more).toHaveAttribute("aria-current", "true");
  await more.click();
  await expect(menu.getByRole("menuitem", { name: "Withdraw" })).toHaveAttribute("aria-current", "page");
  for (const { path } of consolePages) {
    await open(page, path);
    const right = await page.getByRole("banner").evaluate((header) => {
      return Math.max(...[...header.querySelectorAll("*")].map((part) => part.getBoundingClientRect().right));
    });
    expect(right, path).toBeLessThanOrEqual(360);
  }
});

test("a select has space for its arrow", async ({ page, context }) => {
  await signIn(context, demoWallet());
  await open(page, "/playground");
  const select = page.getByRole("combobox").first();
  await expect(select).toHaveCSS("appearance", "none");
  await expect(select).toHaveCSS("padding-right", "36px");
});

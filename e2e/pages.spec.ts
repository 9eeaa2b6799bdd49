import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import type { Page } from "@playwright/test";
import { newWallet } from "@/lib/console/testing/wallets";
import { errorCatalogue } from "../lib/base/errors";
import { baseUrl, expect, open, test } from "./browser";
import { createKey } from "./create-key";
import { fundByFaucet } from "./faucet";
import { consolePages, publicPages } from "./page-list";
import { demoWallet, readSandbox, signIn } from "./sign-in";

const names = (page: Page) => page.locator("tbody th span.font-mono").allTextContents();

test("every page names the scripts that may run, by its own nonce or by their hashes, and cannot be framed", async ({ context }) => {
  await signIn(context, demoWallet());
  const nonces: string[] = [];
  let hashed = 0;
  for (const { path } of [...publicPages.filter(({ path }) => path !== "/connect"), ...consolePages]) {
    const answer = await context.request.get(path);
    const policy = answer.headers()["content-security-policy"] ?? "";
    expect(policy, path).toContain("frame-ancestors 'none'");
    expect(answer.headers()["x-frame-options"], path).toBe("DENY");
    const scripts = [...(await answer.text()).matchAll(/<script\b([^>]*)>(.*?)<\/script>/gs)];
    expect(scripts.length, path).toBeGreaterThan(0);
    const [, nonce] = /'nonce-([^']+)'/.exec(policy) ?? [];
    const named = (attributes: string, text: string) =>
      nonce ? attributes.includes(`nonce="${nonce}"`) : / src="\/_next\//.test(attributes) || policy.includes(`'sha256-${sha256(text)}'`);
    expect(
      scripts.filter(([, attributes = "", text = ""]) => !named(attributes, text)),
      path,
    ).toEqual([]);
    if (nonce) nonces.push(nonce);
    else hashed += 1;
  }
  expect(new Set(nonces).size).toBe(nonces.length);
  expect(Math.min(nonces.length - consolePages.length, hashed)).toBeGreaterThan(3);
});

const sha256 = (text: string) => createHash("sha256").update(text).digest("base64");

test("a script that the page does not name does not run", async ({ page, watch }) => {
  watch.expect(/Content Security Policy/);
  await page.goto("/");
  await page.evaluate(() => {
    const holder = document.createElement("div");
    holder.innerHTML = '<img src="data:," onerror="window.ran = true">';
    document.body.append(holder);
  });
  await expect.poll(() => watch.faults.filter((fault) => fault.includes("Content Security Policy")).length).toBeGreaterThan(0);
  expect(await page.evaluate(() => Reflect.get(window, "ran"))).toBeUndefined();
});

test("every error code has its page, and the list leads there", async ({ page }) => {
  await open(page, "/docs/errors");
  const codes = Object.keys(errorCatalogue);
  await expect(page.locator("main article li a")).toHaveCount(codes.length);
  for (const code of codes) {
    const answer = await page.request.get(`/docs/errors/${code}`);
    expect(answer.status(), code).toBe(200);
  }
  await page.getByRole("link", { name: "RATE_LIMIT_EXCEEDED" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("RATE_LIMIT_EXCEEDED");
});

test("the theme follows the system until one is chosen, and a chosen theme applies from the first paint", async ({ page }) => {
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  await page.emulateMedia({ colorScheme: "light" });
  await open(page, "/");
  const light = await background();
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await background();
  expect(dark).not.toBe(light);

  await page.getByRole("button", { name: "Theme: system. Change to light." }).click();
  expect(await background()).toBe(light);
  await open(page, "/models");
  expect(await background()).toBe(light);
  expect(await (await page.request.get("/docs")).text()).toContain('data-theme="light"');

  await page.getByRole("button", { name: "Theme: light. Change to dark." }).click();
  await page.getByRole("button", { name: "Theme: dark. Change to system." }).click();
  await page.emulateMedia({ colorScheme: "light" });
  await open(page, "/docs");
  expect(await background()).toBe(light);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await background()).toBe(dark);
});

test("models can be searched and sorted, and the URL reflects it", async ({ page }) => {
  await open(page, "/models");
  const all = await names(page);
  expect(all.length).toBeGreaterThanOrEqual(14);

  await page.keyboard.press("/");
  await page.keyboard.type("claude");
  await expect(page).toHaveURL(/\/models\?q=claude$/);
  expect((await names(page)).every((name) => name.startsWith("claude"))).toBe(true);

  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "In", exact: true }).click();
  await page.getByRole("button", { name: "In", exact: true }).click();
  await expect(page).toHaveURL(/\/models\?sort=-input$/);
  await expect(page.getByRole("columnheader", { name: "In" })).toHaveAttribute("aria-sort", "descending");
  const dearest = await names(page);
  expect(dearest[0]).toBe("gpt-4-turbo");

  await page.reload();
  expect(await names(page)).toEqual(dearest);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Models" }).click();
  await expect.poll(() => names(page)).toEqual(all);
});

test("the calculator is exact, and prices no more tokens than the model accepts", async ({ page }) => {
  await open(page, "/models?q=gpt-4-turbo");
  const row = page.getByRole("row", { name: /gpt-4-turbo/ });
  await page.getByLabel("Tokens in").fill("14");
  await page.getByLabel("Tokens out").fill("22");
  await expect(row).toContainText("$0.00144");
  await page.getByLabel("Tokens in").fill("123,904");
  await page.getByLabel("Tokens out").fill("4096");
  await expect(row).toContainText("$5.12");
  await expect(page).toHaveURL(/q=gpt-4-turbo&in=123904&out=4096$/);
  await page.getByLabel("Tokens in").fill("123905");
  await expect(row).toContainText("does not fit");
});

test("the table can be searched and sorted without JavaScript", async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL: baseUrl() });
  const page = await context.newPage();
  await page.goto("/models");
  await page.getByLabel("Search").fill("gemini");
  await page.getByRole("button", { name: "Cost" }).click();
  await expect(page).toHaveURL(/q=gemini&.*sort=cost/);
  expect((await names(page))[0]).toBe("gemini-2.5-flash-lite");
  await context.close();
});

test("a copy button copies, and confirms it", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await open(page, "/");
  await page.getByRole("button", { name: "Copy: Request" }).click();
  await expect(page.getByText("Copied").first()).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(`curl -s ${baseUrl()}/api/v1/prompt`);
});

test("the keyboard reaches everything, starting with the skip link", async ({ page }) => {
  await open(page, "/");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("main").getByRole("link").first()).toBeFocused();
});

test("the docs' examples work unchanged, and their cost is what leaves the balance", async ({ page, context }) => {
  test.setTimeout(60_000);
  // Its own account: no other test's spending or deposit falls between the two balances.
  await signIn(context, newWallet("evm"));
  await fundByFaucet(page);
  const apiKey = await createKey(page, "docs");
  await open(page, "/docs");
  const code = async (title: string) => (await page.getByRole("region", { name: title, exact: true }).locator("code").textContent()) ?? "";
  const env = { ...process.env, PENNYPROMPT_KEY: apiKey, FORCE_COLOR: "0" };
  const shell = (command: string) => execFileSync("sh", ["-c", command], { env, encoding: "utf8" });

  expect(shell(`${await code("Set the key")}; echo $PENNYPROMPT_KEY`).trim()).toBe(readSandbox().apiKey);
  const before = JSON.parse(shell(await code("curl, balance"))) as { available: number };
  const answer = JSON.parse(shell(await code("curl"))) as { success: boolean; cost: { totalCost: number } };
  expect(answer.success).toBe(true);
  const after = JSON.parse(shell(await code("curl, balance"))) as { available: number };
  expect(before.available - after.available).toBeCloseTo(answer.cost.totalCost, 9);

  const printed = execFileSync(process.execPath, ["--input-type=module", "-e", await code("TypeScript")], { env, encoding: "utf8" });
  expect(printed).toMatch(/^Simulated answer .* 0\.\d+\n$/s);
  expect(shell(await code("curl, streaming"))).toMatch(/^event: delta\n[\s\S]*event: done\n/);
});

test("each model has a page with its prices, code and aliases; the table leads there, and Try leads to the playground", async ({
  page,
  context,
}) => {
  await open(page, "/models");
  await page.getByRole("link", { name: "gpt-4-turbo", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("gpt-4-turbo");
  const pricing = page.getByRole("region", { name: "Pricing" });
  // 1,000 tokens in and 500 out at 40 USD a million.
  await expect(pricing).toContainText("$0.06");
  const features = page.getByRole("region", { name: "Features" });
  await expect(features).toContainText("128,000 tokens");
  await expect(features).toContainText("JSON output");
  const code = page.getByRole("group", { name: "Language" });
  await expect(code.getByRole("region", { name: "curl" })).toContainText('"model": "gpt-4-turbo"');
  for (const language of ["TypeScript", "Python"]) {
    await code.getByText(language, { exact: true }).first().click();
    await expect(code.getByRole("region", { name: language })).toContainText("gpt-4-turbo");
  }
  await page.getByRole("link", { name: "Try it" }).click();
  await expect(page).toHaveURL(/\/connect\?next=%2Fplayground%3Fmodel%3Dgpt-4-turbo$/);
  await signIn(context, demoWallet());
  await page.goto(page.url());
  await expect(page).toHaveURL(/\/playground\?model=gpt-4-turbo$/);
});

test("an alias leads to its model, also one with a slash; an unknown or malformed name is a missing page", async ({ page, watch }) => {
  watch.expect(/status of (400|404)/);
  await page.goto("/models/google/gemini-3.5-flash-lite");
  await expect(page).toHaveURL(/\/models\/gemini-3\.5-flash-lite$/);
  expect((await page.request.get("/models/google%2Fgemini-3.5-flash-lite")).status()).toBe(400);
  for (const name of ["no-such-model", "a/b", "%3Cscript%3E"]) {
    expect((await page.request.get(`/models/${name}`)).status(), name).toBe(404);
  }
});

test("Tab on the models page never lands on something invisible", async ({ page }) => {
  await open(page, "/models");
  await page.getByLabel("Search").focus();
  for (let stops = 0; stops < 12; stops++) {
    await page.keyboard.press("Tab");
    const size = await page.evaluate(() => document.activeElement?.getBoundingClientRect().width ?? 0);
    expect(size, `stop ${stops}`).toBeGreaterThan(8);
  }
});

test("on a phone the sort control leaves room for its arrow, and sorts", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await open(page, "/models");
  const sort = page.getByLabel("Sort by");
  const { appearance, room } = await sort.evaluate((select) => {
    const style = getComputedStyle(select);
    return { appearance: style.appearance, room: Number.parseFloat(style.paddingRight) };
  });
  expect(appearance).toBe("none");
  expect(room).toBeGreaterThanOrEqual(36);
  await sort.selectOption({ label: "Output price, highest first" });
  await expect(page).toHaveURL(/sort=-output$/);
  expect((await names(page))[0]).toBe("gpt-4");
});

test("who is signed in is led to the console, not to connecting a wallet", async ({ page, context }) => {
  await signIn(context, demoWallet());
  await open(page, "/");
  await expect(page.getByRole("link", { name: "Connect wallet" })).toHaveCount(0);
  await expect(page.getByRole("main").getByRole("link", { name: "Open console" })).toHaveAttribute("href", "/overview");
});

test("the header of a small phone leads to models, docs and the API", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await open(page, "/");
  for (const [name, path] of [
    ["Models", "/models"],
    ["Docs", "/docs"],
    ["API", "/docs/api"],
  ] as const) {
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true }).click();
    await expect(page).toHaveURL(new RegExp(`${path}$`));
  }
});

test("the landing page's example is a cheap model, at its own price", async ({ page }) => {
  await open(page, "/");
  const { cost, usage, model } = JSON.parse(
    (await page.getByRole("region", { name: "Response", exact: true }).locator("code").textContent()) ?? "",
  );
  await page.goto(`/models/${model}`);
  const priceOf = async (kind: string) => {
    const price = page.getByRole("region", { name: "Pricing" }).locator(`tr:has(th:text-is("${kind}")) td`).first();
    return Number((await price.textContent())?.slice(1));
  };
  const [input, output] = [await priceOf("Input"), await priceOf("Output")];
  expect(output).toBeLessThan(5);
  expect(cost.totalCost).toBeCloseTo((usage.inputTokens * input + usage.outputTokens * output) / 1e6, 9);
});

test("the docs say how long failed requests are kept, and how to find one by its id", async ({ page }) => {
  await open(page, "/docs#failed-requests");
  const section = page.getByRole("region", { name: "Failed requests" });
  await expect(section).toContainText("30 days");
  await expect(section.getByText("X-Request-Id")).toBeVisible();
});

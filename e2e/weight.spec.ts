// Page weight and loading, on the built service: transferred JavaScript, layout shift, largest contentful paint.

import { gzipSync } from "node:zlib";
import type { Page, Response } from "@playwright/test";
import { newWallet } from "@/lib/console/testing/wallets";
import { expect, test } from "./browser";
import { consolePages, publicPages } from "./page-list";
import { demoWallet, signIn } from "./sign-in";

/** An empty page of Next 16.4.6 with its router, counted as here (134.9 kB in 5 files): the minimum of any page. */
const BASE_KB = 134;
const PUBLIC_KB = BASE_KB + 45;
const CONSOLE_KB = 550;
const MAX_SHIFT = 0.05;

/** Names that occur in wallet libraries' code, even minified. */
const walletCode = /rainbowkit|wagmi|walletconnect|wallet-standard:app-ready|eip6963:|WalletNotReadyError/i;

interface Weighed {
  path: string;
  scripts: number;
  kb: number;
  shift: number;
  lcpMs: number;
}

const weighed: Weighed[] = [];

/** Loads a page until it is idle, and returns what was transferred. */
async function weigh(page: Page, path: string): Promise<Weighed & { code: string }> {
  const scripts: Response[] = [];
  const collect = (response: Response) => {
    if (response.request().resourceType() === "script") scripts.push(response);
  };
  page.on("response", collect);
  await page.addInitScript(observe);
  await page.goto(path, { waitUntil: "networkidle" });
  // Reported some time after the paint, and never if nothing was painted.
  await page.waitForFunction(() => Number(Reflect.get(window, "seenLcpMs")) > 0);
  page.off("response", collect);
  const bodies = await Promise.all(scripts.map((response) => response.body()));
  const { shift, lcpMs } = await page.evaluate(() => ({
    shift: Number(Reflect.get(window, "seenShift")),
    lcpMs: Number(Reflect.get(window, "seenLcpMs")),
  }));
  const bytes = bodies.reduce((sum, body) => sum + gzipSync(body).length, 0);
  const result = { path, scripts: scripts.length, kb: bytes / 1_000, shift, lcpMs };
  weighed.push(result);
  return { ...result, code: Buffer.concat(bodies).toString("utf8") };
}

/** In the page, before its own scripts: sums up layout shifts, and records the largest contentful paint. */
function observe(): void {
  Object.assign(window, { seenShift: 0, seenLcpMs: 0 });
  const watch = (type: string, see: (entry: PerformanceEntry) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach(see)).observe({ type, buffered: true });
  watch("layout-shift", (entry) => {
    if (!Reflect.get(entry, "hadRecentInput"))
      Reflect.set(window, "seenShift", Reflect.get(window, "seenShift") + Reflect.get(entry, "value"));
  });
  watch("largest-contentful-paint", ({ startTime }) => Reflect.set(window, "seenLcpMs", startTime));
}

// The time of the paint is printed, not asserted: on a busy machine it is late.
function expectCalm({ path, shift }: Weighed): void {
  expect(shift, `layout shift of ${path}`).toBeLessThanOrEqual(MAX_SHIFT);
}

for (const { path, status } of publicPages.filter(({ path }) => path !== "/connect")) {
  test(`${path} loads at most ${PUBLIC_KB} kB of JavaScript, none of it for wallets, and does not shift`, async ({ page }) => {
    const result = await weigh(page, path);
    expect(result.scripts).toBeGreaterThan(0);
    expect(result.kb, `kB of JavaScript on ${path}, which answers ${status}`).toBeLessThanOrEqual(PUBLIC_KB);
    expect(result.code).not.toMatch(walletCode);
    expectCalm(result);
  });
}

test("the sign-in page has the wallet code, and no more than the console", async ({ page }) => {
  const result = await weigh(page, "/connect");
  expect(result.code).toMatch(walletCode);
  expect(result.kb).toBeLessThanOrEqual(CONSOLE_KB);
  expectCalm(result);
});

for (const { path } of consolePages) {
  test(`${path} loads at most ${CONSOLE_KB} kB of JavaScript and does not shift, with much data and with none`, async ({
    page,
    context,
  }) => {
    for (const wallet of [demoWallet(), newWallet("evm")]) {
      await context.clearCookies();
      await signIn(context, wallet);
      const result = await weigh(page, path);
      expect(result.kb).toBeLessThanOrEqual(CONSOLE_KB);
      expectCalm(result);
    }
  });
}

for (const path of ["/docs/x402", "/docs/api", "/docs/deposits"]) {
  test(`${path} does not shift when its fonts load late`, async ({ page }) => {
    let late = 0;
    await page.route("**/*.woff2", async (route) => {
      // A pending font keeps the network busy, so the page is not measured before its fonts have loaded.
      await page.waitForFunction(() => Number(Reflect.get(window, "seenLcpMs")) > 0);
      late++;
      await route.continue();
    });
    const result = await weigh(page, path);
    expect(late, "fonts that came after the page was painted").toBeGreaterThan(0);
    expectCalm(result);
    weighed.pop();
  });
}

test("layout shift is measured", async ({ page }) => {
  await weigh(page, "/docs/errors");
  await page.evaluate(() =>
    document.querySelector("main")?.prepend(Object.assign(document.createElement("div"), { style: "height: 400px" })),
  );
  await expect.poll(() => page.evaluate(() => Number(Reflect.get(window, "seenShift")))).toBeGreaterThan(MAX_SHIFT);
  weighed.pop();
});

test.afterAll(() => {
  console.log("JavaScript (gzip), layout shift and largest paint:");
  for (const { path, scripts, kb, shift, lcpMs } of weighed) {
    console.log(
      `  ${path.padEnd(36)} ${kb.toFixed(1).padStart(6)} kB in ${`${scripts}`.padStart(2)} files, ${shift.toFixed(3)}, ${Math.round(lcpMs)} ms`,
    );
  }
});

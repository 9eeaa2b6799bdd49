// A page's weight and loading, on the built service: transferred JavaScript, layout shift, largest contentful paint.

import { gzipSync } from "node:zlib";
import type { Page, Response } from "@playwright/test";
import { MAX_CONSOLE_PAGE_KB, MAX_LAYOUT_SHIFT, MAX_PUBLIC_PAGE_KB } from "@/lib/tidy/limits";
import { expect } from "./browser";

/** Names that occur in wallet libraries' code, even minified. */
const walletCode = /rainbowkit|wagmi|walletconnect|wallet-standard:app-ready|eip6963:|WalletNotReadyError/i;

export interface Weighed {
  path: string;
  scripts: number;
  kb: number;
  /** Any of its code belongs to a wallet library. */
  hasWallets: boolean;
  shift: number;
  lcpMs: number;
}

const weighed: Weighed[] = [];

/** Loads a page until it is idle, and returns what was transferred. */
export async function weigh(page: Page, path: string): Promise<Weighed & { answer: Response | null }> {
  const scripts: Response[] = [];
  const collect = (response: Response) => {
    if (response.request().resourceType() === "script") scripts.push(response);
  };
  page.on("response", collect);
  await page.addInitScript(observe);
  const answer = await page.goto(path, { waitUntil: "networkidle" });
  // Reported some time after the paint, and never if nothing was painted.
  await page.waitForFunction(() => Number(Reflect.get(window, "seenLcpMs")) > 0);
  page.off("response", collect);
  const bodies = await Promise.all(scripts.map((response) => response.body()));
  const { shift, lcpMs } = await page.evaluate(() => ({
    shift: Number(Reflect.get(window, "seenShift")),
    lcpMs: Number(Reflect.get(window, "seenLcpMs")),
  }));
  const bytes = bodies.reduce((sum, body) => sum + gzipSync(body).length, 0);
  const hasWallets = walletCode.test(Buffer.concat(bodies).toString("utf8"));
  const result = { path, scripts: scripts.length, kb: bytes / 1_000, hasWallets, shift, lcpMs };
  weighed.push(result);
  return { ...result, answer };
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

/** The time of the paint is printed, not asserted: on a busy machine it is late. */
export function expectLight({ path, scripts, kb, hasWallets, shift }: Weighed, { wallets }: { wallets: boolean }): void {
  expect(scripts).toBeGreaterThan(0);
  expect(kb, `kB of JavaScript on ${path}`).toBeLessThanOrEqual(wallets ? MAX_CONSOLE_PAGE_KB : MAX_PUBLIC_PAGE_KB);
  if (!wallets) expect(hasWallets, `code of wallets on ${path}`).toBe(false);
  expect(shift, `layout shift of ${path}`).toBeLessThanOrEqual(MAX_LAYOUT_SHIFT);
}

/** Prints what this worker weighed. */
export function printWeights(): void {
  if (weighed.length > 0) console.log("JavaScript (gzip), layout shift and largest paint:");
  for (const { path, scripts, kb, shift, lcpMs } of weighed) {
    console.log(
      `  ${path.padEnd(36)} ${kb.toFixed(1).padStart(6)} kB in ${`${scripts}`.padStart(2)} files, ${shift.toFixed(3)}, ${Math.round(lcpMs)} ms`,
    );
  }
}

// What holds for every page, checked in one visit: its status and heading, its weight, that it does not shift, that it fits a phone,
// and axe-core's rules in both themes.

import type { Page } from "@playwright/test";
import { newWallet } from "@/lib/console/testing/wallets";
import { expectAccessible, printScans } from "./axe";
import { expect, test, untilButtonsAnswer } from "./browser";
import { consolePages, type ListedPage, pagesToVisit, publicPages } from "./page-list";
import { demoWallet, signIn } from "./sign-in";
import { expectLight, printWeights, weigh } from "./weigh";

const viewports = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
  smallPhone: { width: 360, height: 740 },
} as const;
const banner = "Sandbox: models and money are simulated. No real money is involved.";

for (const listed of pagesToVisit(publicPages)) {
  test(`${listed.path} answers ${listed.status}, is light, fits a phone and is accessible`, async ({ page }) => {
    const { hasWallets } = await visit(page, listed, listed.path, { wallets: listed.path === "/connect" });
    expect(hasWallets).toBe(listed.path === "/connect");
    await expect(page.getByRole("complementary", { name: "Sandbox" })).toHaveText(banner);
  });
}

for (const listed of pagesToVisit(consolePages)) {
  test(`${listed.path} is light, fits a phone and is accessible, with much data and with none`, async ({ page, context }) => {
    for (const [owner, wallet] of [
      ["the demo", demoWallet()],
      ["a newcomer", newWallet("solana")],
    ] as const) {
      // The page of the session before would load itself again once that session is gone.
      await page.goto("about:blank");
      await context.clearCookies();
      await signIn(context, wallet);
      await page.setViewportSize(viewports.desktop);
      await visit(page, listed, `${listed.path} of ${owner}`, { wallets: true });
    }
  });
}

async function visit(page: Page, { path, heading, status }: ListedPage, state: string, allowed: { wallets: boolean }) {
  const weighed = await weigh(page, path);
  expect(weighed.answer?.status()).toBe(status);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(heading);
  expectLight(weighed, allowed);
  await untilButtonsAnswer(page);
  await expectAccessible(page, state);
  await expectToFit(page);
  return weighed;
}

/** Nothing scrolls sideways, neither on a desktop nor on a phone. */
async function expectToFit(page: Page): Promise<void> {
  for (const viewport of Object.values(viewports)) {
    await page.setViewportSize(viewport);
    // Charts resize a moment later.
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    await expect.poll(overflow, `pixels that ${page.url()} scrolls sideways at ${viewport.width}`).toBe(0);
  }
}

test.afterAll(() => {
  printWeights();
  printScans();
});

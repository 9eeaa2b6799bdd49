// What every test watches for: errors in the browser's console, and requests that leave this service. Either fails the test.

import { createHash } from "node:crypto";
import { type BrowserContext, test as base, expect, type Page } from "@playwright/test";

/** Where start-service.ts started the service. */
export const baseUrl = (): string => {
  const url = process.env.BASE_URL;
  if (!url) throw new Error("BASE_URL is not set: run the tests with --config e2e/playwright.config.ts");
  return url;
};

export const isLong = process.env.LONG === "1";

/** All cases of a matrix in `npm run test:long`, and in `npm test` the one that stands for them. */
export const casesOf = <Case>(all: readonly Case[], representative: Case): readonly Case[] => (isLong ? all : [representative]);

interface Watch {
  /** Console errors, uncaught exceptions and requests to other hosts, in order. */
  faults: string[];
  /** Declares console errors that the test itself causes. */
  expect: (pattern: RegExp) => void;
  /** Watches another browser as well. */
  also: (context: BrowserContext) => void;
}

/** Of its own for each test, as behind a proxy: one client that signed in for all of them would reach the limit of sign-ins. */
const addressOf = (testId: string): string => `127.${[...createHash("sha256").update(testId).digest().subarray(0, 3)].join(".")}`;

export const test = base.extend<{ watch: Watch }>({
  baseURL: async ({ browserName: _ }, use) => use(baseUrl()),
  extraHTTPHeaders: async ({ browserName: _ }, use, { testId }) => use({ "x-forwarded-for": addressOf(testId) }),
  watch: [
    async ({ context }, use) => {
      const faults: string[] = [];
      const expected: RegExp[] = [];
      const also = (watched: BrowserContext) => watchContext(watched, (fault) => faults.push(fault));
      also(context);
      await use({ faults, expect: (pattern) => expected.push(pattern), also });
      expect(faults.filter((fault) => !expected.some((pattern) => pattern.test(fault)))).toEqual([]);
    },
    { auto: true },
  ],
});

function watchContext(context: BrowserContext, report: (fault: string) => void): void {
  const documents = new Set<string>();
  context.on("console", (message) => {
    // Chromium logs the status of a page that is meant to be missing; the test itself checks that status.
    const isOfThePage = message.text().includes("status of 404") && documents.has(message.location().url);
    if (message.type() === "error" && !isOfThePage) report(`console: ${message.text()} (${message.location().url})`);
  });
  context.on("weberror", (error) => report(`exception: ${error.error().message}`));
  context.on("request", (request) => {
    const url = new URL(request.url());
    if (request.isNavigationRequest()) documents.add(url.href);
    if (!["data:", "blob:"].includes(url.protocol) && url.origin !== baseUrl()) report(`request to another host: ${url.href}`);
  });
}

/** Opens a page and waits until its buttons work. */
export async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await untilButtonsAnswer(page);
}

/** For a page reached by navigation: a click before React has hydrated the buttons is lost. */
export async function untilButtonsAnswer(page: Page): Promise<void> {
  await page.waitForLoadState();
  await page.waitForFunction(() =>
    [...document.querySelectorAll("button")].every((button) => Object.keys(button).some((key) => key.startsWith("__reactProps"))),
  );
}

/** Waits until a navigation has reached this page and its buttons work. */
export async function arriveAt(page: Page, url: string | RegExp): Promise<void> {
  await expect(page).toHaveURL(url);
  await untilButtonsAnswer(page);
}

export async function reload(page: Page): Promise<void> {
  await page.reload();
  await untilButtonsAnswer(page);
}

export { expect };

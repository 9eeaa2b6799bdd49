// What every journey watches for: errors in the browser's console, and requests that leave this service. Either fails the test.

import { test as base, expect, type Page } from "@playwright/test";

/** Where start-service.ts started the service. */
export const baseUrl = (): string => {
  const url = process.env.BASE_URL;
  if (!url) throw new Error("BASE_URL is not set: run the tests with --config e2e/playwright.config.ts");
  return url;
};

interface Watch {
  /** Console errors, uncaught exceptions and requests to other hosts, as they came. */
  faults: string[];
}

export const test = base.extend<{ watch: Watch }>({
  baseURL: async ({ browserName: _ }, use) => use(baseUrl()),
  watch: [
    async ({ page }, use) => {
      const faults: string[] = [];
      const documents = new Set<string>();
      page.on("console", (message) => {
        // Chromium reports the status of a page that is meant to be missing; the test itself says which status it wants.
        const isOfThePage = message.text().includes("status of 404") && documents.has(message.location().url);
        if (message.type() === "error" && !isOfThePage) faults.push(`console: ${message.text()} (${message.location().url})`);
      });
      page.on("pageerror", (error) => faults.push(`exception: ${error.message}`));
      page.on("request", (request) => {
        const url = new URL(request.url());
        if (request.isNavigationRequest()) documents.add(url.href);
        if (!["data:", "blob:"].includes(url.protocol) && url.origin !== baseUrl()) faults.push(`request to another host: ${url.href}`);
      });
      await use({ faults });
      expect(faults).toEqual([]);
    },
    { auto: true },
  ],
});

/** Opens a page and waits until its buttons answer: what is pressed before React has taken them over is lost. */
export async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.waitForFunction(() =>
    [...document.querySelectorAll("button")].every((button) => Object.keys(button).some((key) => key.startsWith("__reactProps"))),
  );
}

export { expect };

// What every journey watches for: errors in the browser's console, and requests that leave this service. Either fails the test.

import { test as base, expect } from "@playwright/test";

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
      page.on("console", (message) => {
        // Chromium reports the status of a page that is meant to be missing.
        if (message.type() === "error" && !(message.text().includes("status of 404") && message.location().url === page.url()))
          faults.push(`console: ${message.text()}`);
      });
      page.on("pageerror", (error) => faults.push(`exception: ${error.message}`));
      page.on("request", (request) => {
        const url = new URL(request.url());
        if (!["data:", "blob:"].includes(url.protocol) && url.origin !== baseUrl()) faults.push(`request to another host: ${url.href}`);
      });
      await use({ faults });
      expect(faults).toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };

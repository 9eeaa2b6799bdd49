// A person in a browser: one service and one sandbox for all journeys, started by start-service.ts and stopped after them.
// By hand: npx playwright test --config e2e/playwright.config.ts

import { existsSync } from "node:fs";
import { defineConfig } from "@playwright/test";

/** The system's own Chromium where there is one; else Playwright's (npx playwright install chromium). */
const chromium = process.env.CHROMIUM_PATH || ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path));

export default defineConfig({
  testDir: ".",
  testMatch: "*.spec.ts",
  // Pictures are no tests; see there.
  testIgnore: process.env.SCREENSHOTS ? [] : "screenshots.spec.ts",
  outputDir: "../test-results",
  globalSetup: "./start-service.ts",
  // Half of their time they wait, for a chain or a page to be quiet.
  workers: 3,
  retries: 0,
  // Nothing here measures speed: a machine that others use as well may take three times as long as one of one's own.
  timeout: 90_000,
  expect: { timeout: 20_000 },
  reporter: "list",
  use: {
    browserName: "chromium",
    viewport: { width: 1280, height: 800 },
    launchOptions: {
      ...(chromium ? { executablePath: chromium } : {}),
      args: ["--no-sandbox", "--disable-background-networking", "--disable-gpu", "--in-process-gpu", "--disable-site-isolation-trials"],
    },
  },
});

// Browser tests: one service and one sandbox for all of them, started by start-service.ts and stopped afterwards.
// By hand: npx playwright test --config e2e/playwright.config.ts

import { existsSync } from "node:fs";
import { defineConfig } from "@playwright/test";
import { keepTemporaryFilesInMemory } from "../lib/db/testing/memory-disk";

keepTemporaryFilesInMemory();

/** The system's own Chromium if installed, headless if possible; otherwise Playwright's (npx playwright install chromium). */
const chromium =
  process.env.CHROMIUM_PATH ||
  ["chromium-headless-shell", "chromium", "chromium-browser"].map((name) => `/usr/bin/${name}`).find((path) => existsSync(path));

export default defineConfig({
  testDir: ".",
  testMatch: "*.spec.ts",
  // Taking pictures is no test; see screenshots.spec.ts.
  testIgnore: process.env.SCREENSHOTS ? [] : "screenshots.spec.ts",
  outputDir: "../test-results",
  globalSetup: "./start-service.ts",
  // Half of the time the tests wait, for a chain or a page to become idle.
  workers: 4,
  retries: 0,
  // Nothing here measures speed: a shared machine may take three times as long as a dedicated one.
  timeout: 90_000,
  expect: { timeout: 20_000 },
  reporter: "list",
  use: {
    browserName: "chromium",
    viewport: { width: 1280, height: 800 },
    // A picture that moves is painted sixty times a second, without a graphics card. live.spec.ts looks at what moves.
    contextOptions: { reducedMotion: "reduce" },
    launchOptions: {
      ...(chromium ? { executablePath: chromium } : {}),
      args: ["--no-sandbox", "--disable-background-networking", "--disable-gpu", "--in-process-gpu", "--disable-site-isolation-trials"],
    },
  },
});

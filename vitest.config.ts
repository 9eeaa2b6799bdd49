import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { alias: { "@": fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "") } },
  test: {
    include: ["lib/**/*.test.ts", "app/**/*.test.ts", "components/**/*.test.ts", "bench/**/*.test.ts", "e2e/**/*.test.ts"],
    env: { MODE: "sandbox" }, // vitest sets MODE=test, which is not one of ours
    globalSetup: ["lib/db/testing/global-setup.ts"],
    setupFiles: ["lib/tidy/vitest-setup.ts"],
    // No test measures time by them: a busy machine is slow, and not wrong.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 3, // more than two cores: much of what is tested waits, for a block, a child or a clock
  },
});

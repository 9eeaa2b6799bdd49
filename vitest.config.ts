import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { alias: { "@": fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "") } },
  test: {
    include: ["lib/**/*.test.ts", "app/**/*.test.ts", "components/**/*.test.ts", "bench/**/*.test.ts", "e2e/**/*.test.ts"],
    env: { MODE: "sandbox" }, // vitest sets MODE=test, which is not one of ours
    globalSetup: ["lib/db/testing/global-setup.ts"],
    setupFiles: ["lib/tidy/vitest-setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    maxWorkers: 3, // more than two cores: much of what is tested waits, for a block, a child or a clock
  },
});

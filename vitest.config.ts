import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { keepTemporaryFilesInMemory } from "./lib/db/testing/memory-disk.ts";

keepTemporaryFilesInMemory();

/** Files that replace modules, or measure their process: each has a process of its own. */
const isolated = [
  "app/(console)/owner-actions.test.ts", // needs AsyncLocalStorage before Next is loaded
  "lib/base/busy-poll.test.ts",
  "lib/base/errors.test.ts",
  "lib/base/process-singleton.test.ts",
  "lib/base/v8/*.test.ts",
  "lib/console/usage/usage-csv.test.ts",
  "lib/gateway/contract/modules.test.ts",
  "lib/gateway/contract/unbooked.test.ts",
  "lib/gateway/prompt/pipeline.test.ts",
  "lib/ledger/commit/refused.test.ts",
  "lib/ledger/waiting-settlements.test.ts",
  "lib/providers/budget.test.ts",
  "lib/server/launch.test.ts",
  "lib/server/streams.test.ts",
];

/** Sessions of real agents, which e2e/run/agents.mjs installs: `npm run test:long -- agents`. */
const agents: TestProjectInlineConfiguration = {
  extends: true,
  test: { name: "agents", include: ["e2e/agents/*.session.ts"], isolate: true },
};

export default defineConfig({
  resolve: { alias: { "@": fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "") } },
  test: {
    env: { MODE: "sandbox" }, // vitest sets MODE=test, which is not one of ours
    globalSetup: ["lib/db/testing/global-setup.ts"],
    setupFiles: ["lib/tidy/vitest-setup.ts"],
    // No test measures time by them: a busy machine is slow, and not wrong.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 4, // more than two cores: much of what is tested waits, for a block, a child or a clock
    projects: [
      {
        extends: true,
        test: {
          name: "shared",
          include: ["lib/**/*.test.ts", "app/**/*.test.ts", "components/**/*.test.ts", "bench/**/*.test.ts", "e2e/**/*.test.ts"],
          exclude: isolated,
          isolate: false, // loading the modules anew for each file would cost a third of the run; see vitest-setup.ts
        },
      },
      { extends: true, test: { name: "isolated", include: isolated, isolate: true } },
      ...(process.env.AGENT_SESSIONS ? [agents] : []),
    ],
  },
});

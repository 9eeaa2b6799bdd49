// The parts of `npm run test:long`: every case of the tests that `npm test` tries at a sample. A part takes at most 45 minutes on two
// cores; without the name of one, all of them run one after the other.

/** The folders of each part's unit tests. Each test file of the project belongs to one part (e2e/run.test.ts). */
export const longFolders = {
  server: ["lib/server/", "lib/db/", "lib/sandbox/", "lib/jobs/"],
  wallets: ["lib/wallets/"],
  payments: ["lib/payments/", "lib/relay/", "lib/chains/"],
  ledger: ["lib/ledger/", "lib/access/", "lib/audit/", "lib/events/"],
  gateway: ["lib/gateway/", "lib/providers/", "lib/client/"],
  pages: ["app/", "components/", "lib/console/", "lib/base/", "lib/tidy", "bench/", "e2e/"],
};

/** `agents`: sessions of real command-line agents, which the run installs into .data/ (e2e/agents). */
export const longParts = [...Object.keys(longFolders), "agents", "browser", "bench"];

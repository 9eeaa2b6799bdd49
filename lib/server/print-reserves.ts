// Reserves for `npm run check-ledger`: computed anew when the chains' nodes can be reached.

import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chainName } from "@/lib/base/chains";
import { config } from "@/lib/base/config";
import { formatUsd } from "@/lib/base/money";
import { evmNodeUrls } from "@/lib/chains/evm/node-urls";
import { solanaCluster } from "@/lib/chains/solana/node-urls";
import { reckonReserves } from "@/lib/wallets/reserves/check-reserves";
import type { Holding } from "@/lib/wallets/reserves/holding";
import { addReport, type UnknownReport } from "@/lib/wallets/reserves/report";

/** Prints the money held on each chain, at which height, and the money owed. A report with figures is stored like the service's own. */
export async function printReserves(): Promise<void> {
  await findSandboxChains();
  const report = await reckonReserves();
  if (report.state === "unknown") return say(`Reserves: unknown. ${unknownText(report)}`);
  await addReport(report);
  const { state, held, owed, holdings } = report;
  const difference = held < owed ? `${formatUsd(owed - held)} missing` : `${formatUsd(held - owed)} surplus`;
  say(`Reserves: ${state === "deficit" ? "DEFICIT" : "fully backed"}. ${formatUsd(held)} held, ${formatUsd(owed)} owed: ${difference}.`);
  for (const holding of holdings) say(holdingText(holding));
}

const say = (line: string) => void process.stdout.write(`${line}\n`);

function holdingText({ chain, height, treasury, atAddresses, addresses }: Holding): string {
  const at = chain === "base" ? `final block ${height}` : `final slot ${height}`;
  return `  ${chainName(chain)}, ${at}: ${formatUsd(treasury)} in the treasury, ${formatUsd(atAddresses)} at ${addresses} deposit addresses.`;
}

function unknownText({ reason, chain }: UnknownReport): string {
  const of = chain ? chainName(chain) : "chain";
  switch (reason) {
    case "away":
      return `No ${of} node responds. Check that the service is running and that its nodes are configured.`;
    case "doubtful":
      return `The ${of} nodes disagree about the latest block.`;
    case "behind":
      return `The ${of} nodes are behind: they no longer have the last final block.`;
    case "disputed":
      return "Two readings did not match. Run the command again.";
    case "starting":
      return "The service is still starting.";
  }
}

const FOUND_WITHIN_MS = 3_000;

/** A sandbox's chains run inside its service: finds them while it runs. */
async function findSandboxChains(): Promise<void> {
  const { MODE, DATA_DIR } = config();
  if (MODE !== "sandbox") return;
  const { areChainsOwned } = await import("@/lib/sandbox/chains-owner");
  if (!areChainsOwned(resolve(DATA_DIR))) return;
  const { followChains } = await import("@/lib/sandbox/follow-chains");
  const following = followChains({ dataDir: resolve(DATA_DIR), isOwner: () => false });
  const isFound = () => evmNodeUrls().length > 0 && solanaCluster().urls.length > 0;
  for (const endMs = performance.now() + FOUND_WITHIN_MS; !isFound() && performance.now() < endMs; ) await sleep(50);
  await following.stop();
}

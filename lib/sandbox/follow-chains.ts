// For a process that does not run the sandbox's chains: uses the URLs in sandbox.json, and follows them when they change.

import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { log } from "@/lib/base/observe/log";
import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { setSandboxSolanaNodes } from "@/lib/chains/solana/node-urls";
import { areChainsOwned } from "./chains-owner";
import { readSandboxFile } from "./secrets";
import { callSolana } from "./solana-chain/process";

const POLL_EVERY_MS = 1_000;
/** While no chain is known: requests that need one wait for it. */
const FIRST_POLL_EVERY_MS = 200;
const placesForm = z.object({ rpc: z.object({ base: z.string(), solana: z.string() }) });

interface FollowOptions {
  dataDir: string;
  /** Whether this process runs the chains: then it knows their URLs. */
  isOwner: () => boolean;
}

export function followChains({ dataDir, isOwner }: FollowOptions): { knowsChains: () => boolean; stop: () => Promise<void> } {
  const stopping = new AbortController();
  let known = "";
  const following = run();

  async function follow(): Promise<void> {
    // URLs written by a process that has ended are stale: another program may listen there.
    if (isOwner() || !areChainsOwned(dataDir)) {
      known = "";
      return;
    }
    const file = placesForm.safeParse(readSandboxFile(dataDir));
    if (!file.success) return;
    const { base, solana } = file.data.rpc;
    if (known === `${base} ${solana}`) return;
    setSandboxEvmNodes([base]);
    setSandboxSolanaNodes([solana], await callSolana(solana, "getGenesisHash"));
    known = `${base} ${solana}`;
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await follow().catch((error: unknown) => log().debug({ err: error }, "the sandbox's chains have moved or stopped"));
      await sleep(known === "" && !isOwner() ? FIRST_POLL_EVERY_MS : POLL_EVERY_MS, undefined, { signal: stopping.signal }).catch(
        () => undefined,
      ); // stopping ends the pause
    }
  }

  return {
    knowsChains: () => known !== "",
    stop: async () => {
      stopping.abort();
      await following;
    },
  };
}

// Runs a chain in the background; only readiness waits for it, the first time. Retries until it starts, and funds its wallets every minute while it
// runs, which repairs an incomplete start and refills used-up wallets.

import { setTimeout as sleep } from "node:timers/promises";
import { log } from "@/lib/base/observe/log";

interface Running {
  isWell: () => boolean;
  stop: () => Promise<void>;
}

export interface StartedChain {
  chain: Running;
  /** Funds wallets on the chain; `round` counts successful rounds from 0. */
  fund: (round: number) => Promise<void>;
}

/** Another process runs the chain: wait until it ends. */
export class OwnedElsewhere extends Error {}

const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 60_000;
const OWNED_RETRY_MS = 1_000;
const FUNDED_EVERY_MS = 60_000;
const UNFUNDED_RETRY_MS = 5_000;

/** @param name for the log: `EVM chain` */
export function startBeside(name: string, start: () => Promise<StartedChain>): Running {
  const stopping = new AbortController();
  let chain: Running | null = null;
  let funding: Promise<void> = Promise.resolve();
  // Stopping ends a pause.
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => undefined);
  const starting = run();

  async function run(): Promise<void> {
    for (let retryMs = FIRST_RETRY_MS; !stopping.signal.aborted; ) {
      try {
        const started = await start();
        chain = started.chain;
        funding = keepFunded(started.fund);
        return;
      } catch (error) {
        if (error instanceof OwnedElsewhere) {
          await pause(OWNED_RETRY_MS);
          continue;
        }
        log().error({ err: error }, `the ${name} did not start; retrying`);
      }
      await pause(retryMs);
      retryMs = Math.min(2 * retryMs, MAX_RETRY_MS);
    }
  }

  async function keepFunded(fund: StartedChain["fund"]): Promise<void> {
    let isLogged = false;
    for (let round = 0; !stopping.signal.aborted; ) {
      try {
        await fund(round);
        round += 1;
        isLogged = false;
        await pause(FUNDED_EVERY_MS);
      } catch (error) {
        if (!isLogged && !stopping.signal.aborted) log().warn({ err: error }, `could not fund the test wallets on the ${name}; retrying`);
        isLogged = true;
        await pause(UNFUNDED_RETRY_MS);
      }
    }
  }

  return {
    isWell: () => chain?.isWell() ?? false,
    stop: async () => {
      stopping.abort();
      await starting;
      await chain?.stop();
      await funding;
    },
  };
}

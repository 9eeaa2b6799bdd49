// Prepares a process for its first request, whichever HTTP server it comes through: every price that can be charged is recorded, this
// process gets changes of keys, other processes see its heartbeat, and token bounds that were too low are loaded.

import { startKeyCache } from "@/lib/access/key-cache";
import { config, configVariables } from "@/lib/base/config";
import { forgetSingleton, processSingleton } from "@/lib/base/process-singleton";
import { type DeadProcess, type Heartbeat, startHeartbeat } from "@/lib/db/heartbeat";
import { freeEndpointsOf } from "@/lib/events/delivery/claims";
import { freeDeadHolds } from "@/lib/ledger/expire-holds";
import { recordPriceVersions } from "@/lib/ledger/price-versions";
import { checkLivePrices, checkReasoningCeilings, listModels, priceVersion } from "@/lib/providers/catalogue";
import { inputTokenBound } from "@/lib/providers/token-bound";
import { reportReadiness } from "../http/health";
import { commit } from "./commit";
import { loadOverruns } from "./quote";

/**
 * Prepares this process, once; the database must be migrated.
 * @throws Error when no model can be served, a live price is below its cost, or a live model's reasoning has no bound
 */
export const prepareGateway = processSingleton<Promise<{ stop: () => Promise<void> }>>("gateway prepared", () =>
  prepare().catch((error: unknown) => {
    forgetSingleton("gateway prepared"); // the next request tries again
    throw error;
  }),
);

async function prepare(): Promise<{ stop: () => Promise<void> }> {
  const models = listModels();
  if (models.length === 0) {
    const keys = configVariables.filter((name) => name.endsWith("_API_KEY")).join(", ");
    throw new Error(
      `No model can be served: set at least one of ${keys}; or add a provider in PROVIDERS_FILE and its models in MODELS_FILE.`,
    );
  }
  if (config().MODE === "live") {
    checkLivePrices(models);
    checkReasoningCeilings(models);
  }
  await recordPriceVersions(models.map((model) => ({ id: priceVersion(model), model: model.id, prices: model.prices })));
  await loadOverruns();
  inputTokenBound("", "o200k"); // unpacks its table now rather than during the first request
  const heartbeat = await startProcessHeartbeat();
  const keys = await startKeyCache();
  return { stop: async () => void (await Promise.all([keys.stop(), heartbeat.stop()])) };
}

/**
 * Starts the heartbeat of this process, once; the database must be migrated. The sooner it observes the others, the sooner the holds of a
 * killed process are freed, so it does not wait for the rest of the start.
 */
export const startProcessHeartbeat = processSingleton<Promise<Heartbeat>>("process heartbeat", () =>
  startHeartbeat({ roles: config().ROLES, onDead: freeDead }).then(
    (heartbeat) => {
      reportReadiness("heartbeat", heartbeat.isWell);
      return heartbeat;
    },
    (error: unknown) => {
      forgetSingleton("process heartbeat");
      throw error;
    },
  ),
);

/** A process that died leaves holds and claims; once they are freed, its requests can be retried at once, and its deliveries go on. */
const freeDead = async (dead: DeadProcess): Promise<void> =>
  void (await Promise.all([freeDeadHolds(commit(), dead), freeEndpointsOf(dead)]));

// What must be true before the first request, whichever door it comes through: every price that can be charged is on
// record, changes of keys are heard, and bounds that were found too low are known.

import { startKeyCache } from "@/lib/access/key-cache";
import { config } from "@/lib/base/config";
import { forgetOnce, once } from "@/lib/base/once";
import { recordPriceVersions } from "@/lib/ledger/price-versions";
import { checkLivePrices, listModels, priceVersion } from "@/lib/providers/catalogue";
import { inputTokenBound } from "@/lib/providers/token-bound";
import { loadOverruns } from "./overrun";

/**
 * Prepares this process, once; the database must be migrated.
 * @throws Error when no model can be served, or a live price is below its cost
 */
export const prepareGateway = (): Promise<{ stop: () => Promise<void> }> =>
  once("gateway prepared", () =>
    prepare().catch((error: unknown) => {
      forgetOnce("gateway prepared"); // the next request tries again
      throw error;
    }),
  );

async function prepare(): Promise<{ stop: () => Promise<void> }> {
  const models = listModels();
  if (models.length === 0) {
    throw new Error(
      "No model can be served: set at least one of OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, XAI_API_KEY, DEEPSEEK_API_KEY.",
    );
  }
  if (config().MODE === "live") checkLivePrices(models);
  await recordPriceVersions(
    models.map((model) => ({ id: priceVersion(model), model: model.id, inputPrice: model.inputPrice, outputPrice: model.outputPrice })),
  );
  await loadOverruns();
  inputTokenBound("", "o200k"); // unpacks its table now rather than during the first request
  return startKeyCache();
}

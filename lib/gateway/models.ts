// GET /api/v1/models: what can be asked, and for how much.

import { writeJson } from "@/lib/base/json";
import { nanoUsd } from "@/lib/base/money";
import { listModels } from "@/lib/providers/catalogue";
import { endpoint } from "./endpoint";
import { jsonReply } from "./respond";

export const models = endpoint("models", async (request) => {
  const data = listModels().map((model) => ({
    id: model.id,
    object: "model",
    created: 0,
    owned_by: model.routes[0].provider,
    description: model.description,
    contextWindow: model.contextWindow,
    maxOutputTokens: model.maxOutputTokens,
    pricing: { inputPer1K: nanoUsd(model.inputPrice * 1000n), outputPer1K: nanoUsd(model.outputPrice * 1000n), currency: "USD" },
    aliases: model.aliases,
  }));
  return jsonReply(request, 200, writeJson({ object: "list", data }));
});

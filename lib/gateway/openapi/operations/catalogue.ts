// The operations that need no key: the models with their prices, the payment terms, and the document itself.

import { config } from "@/lib/base/config";
import { publicUrl } from "@/lib/base/public-url";
import { messageLines } from "../../reads/payment-terms";
import { type Examples, modelExample } from "../examples";
import { answersOf, jsonOf, needsNoKey, success } from "../operation";
import type { Operation } from "../types";

export const listModels = ({ model }: Examples): Operation => ({
  operationId: "listModels",
  tags: ["Catalogue"],
  summary: "List models and prices",
  description: "All available models. Compatible with OpenAI's and Anthropic's lists of models.",
  security: needsNoKey,
  responses: answersOf(
    success(
      "All models, in catalogue order.",
      jsonOf("ModelList", {
        models: {
          summary: "A list of one",
          value: { object: "list", data: [modelExample(model)], first_id: model.id, last_id: model.id, has_more: false },
        },
      }),
    ),
  ),
});

export const getModel = ({ model }: Examples): Operation => ({
  operationId: "getModel",
  tags: ["Catalogue"],
  summary: "Get a model and its price",
  description: "One entry of the list, by ID or alias.",
  security: needsNoKey,
  parameters: [
    { name: "model", in: "path", required: true, description: "A model ID or alias.", schema: { type: "string" }, example: model.id },
  ],
  responses: answersOf(success("The model.", jsonOf("Model", { model: { summary: "A model", value: modelExample(model) } })), "path"),
});

export const getPaymentTerms = (): Operation => ({
  operationId: "getPaymentTerms",
  tags: ["Catalogue"],
  summary: "Get the payment terms",
  description:
    "What a wallet signs to pay for a request: the message, the networks, and the contract that transfers the USDC. No API key needed.",
  security: needsNoKey,
  responses: answersOf(
    success("The terms.", jsonOf("PaymentTerms", { terms: { summary: "A service that settles on Base", value: termsExample() } })),
  ),
});

const termsExample = () => ({
  serviceName: config().SERVICE_NAME,
  message: messageLines(config().SERVICE_NAME),
  minimumAmount: 1,
  maxAgeMs: 300_000,
  networks: [
    {
      network: "eip155:8453",
      names: ["ethereum", "base"],
      chainId: 8_453,
      settlementContract: "0x5c1f3b0e7a9d42c6885e0f1a2b3c4d5e6f708192",
      isDeployed: true,
      usdc: "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
      treasury: "0x52908400098527886e0f7030069857d2e4169ee7",
      relayer: "0xde709f2102306220921060314715629080e2fb77",
    },
  ],
  x402: { version: 2, scheme: "exact", endpoint: `${publicUrl()}/api/v1/x402/prompt`, networks: ["eip155:8453"] },
});

export const getOpenApi = (): Operation => ({
  operationId: "getOpenApi",
  tags: ["Catalogue"],
  summary: "Get the OpenAPI document",
  description: "OpenAPI 3.1, generated from the schemas that validate requests.",
  security: needsNoKey,
  responses: answersOf(
    success("The document.", {
      "application/json": {
        schema: { type: "object" },
        examples: { beginning: { summary: "The beginning of the document", value: { openapi: "3.1.0" } } },
      },
    }),
  ),
});

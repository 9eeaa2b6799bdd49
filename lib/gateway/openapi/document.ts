// The OpenAPI document of this service, built once per process: settings and catalogue do not change while it runs.

import { config } from "@/lib/base/config";
import { processSingleton } from "@/lib/base/process-singleton";
import { publicUrl } from "@/lib/base/public-url";
import { exampleModel, examplesOf } from "./examples";
import { headers } from "./headers";
import { getBalance, getReceipt, getUsage, listDeposits } from "./operations/account";
import { listAudit } from "./operations/audit";
import { getModel, getOpenApi, getPaymentTerms, listModels } from "./operations/catalogue";
import { createEmbeddings } from "./operations/embeddings";
import { listEvents, webhooks } from "./operations/events";
import { countMessageTokens, createMessage } from "./operations/messages";
import { createChatCompletion, createPrompt, quotePrompt } from "./operations/prompts";
import { createResponse } from "./operations/responses";
import { createX402Prompt } from "./operations/x402";
import { componentSchemas } from "./schemas";
import type { OpenApiDocument } from "./types";

/** The document. Do not change it: all callers share one object. */
export const openApiDocument = processSingleton("openapi document", build);

function build(): OpenApiDocument {
  const examples = examplesOf(exampleModel());
  return {
    openapi: "3.1.0",
    info: {
      title: config().SERVICE_NAME,
      version: "1.0.0",
      summary: "A paid AI gateway: any model, paid in USDC, per prompt.",
      description:
        "Amounts are in USD: exact decimals with up to 9 places. v1 stays compatible: fields may be added, but never renamed, removed or given another meaning.",
    },
    servers: [
      {
        url: publicUrl(),
        description: config().MODE === "sandbox" ? "Sandbox: models and money are simulated." : "Live: real models and real money.",
      },
    ],
    tags: [
      { name: "Answers", description: "Send a prompt, get an answer. You are charged its exact cost." },
      { name: "Account", description: "Balance, deposits, usage, events and the audit log." },
      { name: "Catalogue", description: "Models, prices and payment terms. No API key needed." },
    ],
    paths: {
      "/api/v1/prompt": { post: createPrompt(examples) },
      "/api/v1/chat/completions": { post: createChatCompletion(examples) },
      "/api/v1/responses": { post: createResponse(examples) },
      "/api/v1/embeddings": { post: createEmbeddings() },
      "/api/v1/x402/prompt": { post: createX402Prompt(examples) },
      "/api/v1/quote": { post: quotePrompt(examples) },
      "/api/v1/balance": { get: getBalance(examples) },
      "/api/v1/usage": { get: getUsage(examples) },
      "/api/v1/deposits": { get: listDeposits(examples) },
      "/api/v1/events": { get: listEvents(examples) },
      "/api/v1/audit": { get: listAudit(examples) },
      "/api/v1/messages": { post: createMessage(examples) },
      "/api/v1/messages/count_tokens": { post: countMessageTokens(examples) },
      "/api/v1/requests/{requestId}": { get: getReceipt(examples) },
      "/api/v1/models": { get: listModels(examples) },
      "/api/v1/models/{model}": { get: getModel(examples) },
      "/api/v1/payment-terms": { get: getPaymentTerms() },
      "/api/v1/openapi.json": { get: getOpenApi() },
    },
    webhooks: webhooks(examples),
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description: "Your API key, created in the console. It starts with pp_. It may also be sent in the header x-api-key.",
        },
      },
      schemas: componentSchemas(),
      headers,
    },
  };
}

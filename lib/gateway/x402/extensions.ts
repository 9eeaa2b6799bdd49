// Extensions that a 402 announces beside its offers, each as x402's own packages define it: payment identifiers, sign-in with x, and a
// description of the endpoint for catalogues (bazaar). Clients send them back with their payment.

import { z } from "zod";
import type { Json } from "@/lib/base/json";
import { processSingleton } from "@/lib/base/process-singleton";
import type { Price } from "@/lib/payments/x402/network";
import { defaultModel, listModels } from "@/lib/providers/catalogue";
import { promptBodySchema } from "../prompt/prompt-body";
import { identifierExtension, PAYMENT_IDENTIFIER } from "./identifier";
import { SIGN_IN, signInExtension } from "./sign-in";

export const extensionsOf = (price: Price): Record<string, Json> => ({
  [PAYMENT_IDENTIFIER]: identifierExtension,
  [SIGN_IN]: signInExtension(price),
  bazaar: bazaarExtension(),
});

/** The endpoint for catalogues: a body, its schema, and an answer. The header of a 402 has limits, so only its main fields are there. */
export const bazaarExtension = processSingleton<Json>("x402 bazaar", () => {
  const model = defaultModel(listModels()).id;
  const shown = promptBodySchema.pick({ model: true, prompt: true, system: true, maxTokens: true, stream: true });
  const { $schema: _, ...body } = z.toJSONSchema(shown, { io: "input" });
  const answer = { success: true, text: "One billionth of a dollar.", model, usage: {}, cost: {}, requestId: "req_0WAqXk3e7Tz0Lm5RbV2c" };
  return {
    info: {
      input: { type: "http", method: "POST", bodyType: "json", body: { model, prompt: "What is a nano-dollar?", maxTokens: 100 } },
      output: { type: "json", example: answer },
    },
    schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        input: {
          type: "object",
          properties: {
            type: { type: "string", const: "http" },
            method: { type: "string", enum: ["POST", "PUT", "PATCH"] },
            bodyType: { type: "string", enum: ["json", "form-data", "text"] },
            body: JSON.parse(JSON.stringify(body)) as Json,
          },
          required: ["type", "method", "bodyType", "body"],
          additionalProperties: false,
        },
        output: { type: "object", properties: { type: { type: "string" }, example: { type: "object" } }, required: ["type"] },
      },
      required: ["input"],
    },
  };
});

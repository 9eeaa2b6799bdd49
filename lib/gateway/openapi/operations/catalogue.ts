// The operations that ask for no key: the models with their prices, and the document itself.

import { type Examples, modelExample } from "../examples";
import { answersOf, jsonOf, needsNoKey, openRefusals, success } from "../operation";
import type { Operation } from "../types";

export const listModels = ({ model }: Examples): Operation => ({
  operationId: "listModels",
  tags: ["Catalogue"],
  summary: "List the models and their prices",
  description: "Every model that can be asked here. OpenAI's client reads the same list.",
  security: needsNoKey,
  responses: answersOf(
    success(
      "All models, in the order of the catalogue.",
      jsonOf("ModelList", { models: { summary: "A list of one", value: { object: "list", data: [modelExample(model)] } } }),
    ),
    openRefusals,
  ),
});

export const getModel = ({ model }: Examples): Operation => ({
  operationId: "getModel",
  tags: ["Catalogue"],
  summary: "Read one model and its price",
  description: "The same as in the list, by the model's name or an alias.",
  security: needsNoKey,
  parameters: [
    { name: "model", in: "path", required: true, description: "A name or an alias.", schema: { type: "string" }, example: model.id },
  ],
  responses: answersOf(success("The model.", jsonOf("Model", { model: { summary: "A model", value: modelExample(model) } })), [
    "NOT_FOUND",
    ...openRefusals,
  ]),
});

export const getOpenApi = (): Operation => ({
  operationId: "getOpenApi",
  tags: ["Catalogue"],
  summary: "This document",
  description: "OpenAPI 3.1, made from the schemas that validate.",
  security: needsNoKey,
  responses: answersOf(
    success("The document.", {
      "application/json": {
        schema: { type: "object" },
        examples: { beginning: { summary: "Its beginning", value: { openapi: "3.1.0" } } },
      },
    }),
    openRefusals,
  ),
});

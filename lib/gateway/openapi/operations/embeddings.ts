// The operation that creates embeddings, in OpenAI's format.

import { chatErrorForm, errorAnswers } from "../errors";
import { idempotencyKey, jsonOf, needsKey, paymentProof, success } from "../operation";
import type { Operation } from "../types";

const MODEL = "text-embedding-3-small";

const embeddingBody = { model: MODEL, input: ["What is a nano-dollar?", "One billionth of a dollar."] };

const embeddingAnswer = {
  object: "list",
  data: [
    { object: "embedding", index: 0, embedding: [0.0123456789, -0.0234567891] },
    { object: "embedding", index: 1, embedding: [0.0345678912, -0.0456789123] },
  ],
  model: MODEL,
  usage: { prompt_tokens: 14, total_tokens: 14, cost: 0.000000294 },
};

export const createEmbeddings = (): Operation => ({
  operationId: "createEmbeddings",
  tags: ["Answers"],
  summary: "Create embeddings",
  description:
    "OpenAI's embeddings. The `openai` package works with a different `baseURL` and key. Funds are reserved and charged as for a prompt; `usage` includes the cost.",
  security: needsKey,
  parameters: [idempotencyKey, paymentProof],
  requestBody: { required: true, content: jsonOf("EmbeddingBody", { texts: { summary: "Two texts", value: embeddingBody } }) },
  responses: {
    "200": success(
      "The embeddings.",
      jsonOf("EmbeddingList", { embeddings: { summary: "Two embeddings, shortened", value: embeddingAnswer } }),
      "Idempotent-Replayed",
      "Server-Timing",
    ),
    ...errorAnswers(["key", "prompt"], chatErrorForm),
  },
});

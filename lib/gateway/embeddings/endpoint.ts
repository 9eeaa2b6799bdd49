// POST /api/v1/embeddings: texts in, their vectors out. Sold like a prompt; only its input is counted in another way.

import { runInSlices, type Slices } from "@/lib/base/slices";
import { noTokens } from "@/lib/base/tokens/token-kinds";
import { inputTokenBoundInSlices } from "@/lib/providers/token-bound";
import { chatErrorBody } from "../chat/errors";
import { authenticate } from "../http/caller";
import { endpoint } from "../http/endpoint";
import { type CountUsage, reportZeroCount, routeOf } from "../prompt/answer";
import { estimateTokens } from "../prompt/estimate";
import { placeMoney, runPrompt } from "../prompt/pipeline";
import { needsByteBound, type Quote, quotePrompt } from "../prompt/quote";
import { type EmbeddingPrompt, embeddingsWriter, readEmbeddings } from "./body";

export const embeddings = endpoint(
  "embeddings",
  (request) =>
    runPrompt(request, {
      identify: authenticate,
      read: readEmbeddings,
      quote: (prompt) => runInSlices(quoteInSlices(prompt)),
      place: placeMoney,
      write: embeddingsWriter,
      count: countUsage,
    }),
  { writeError: chatErrorBody, keepsFailures: true },
);

function* quoteInSlices(prompt: EmbeddingPrompt): Slices<Quote> {
  return quotePrompt(prompt, yield* boundInputs(prompt));
}

/** A text is counted as it is: nothing stands around it. */
function* boundInputs({ model, inputs }: EmbeddingPrompt): Slices<number> {
  const bound = needsByteBound(model.id) ? "bytes" : model.tokenBound;
  let tokens = 0;
  for (const input of inputs) {
    tokens += 1 + (typeof input === "string" ? yield* inputTokenBoundInSlices(input, bound) : input.length);
    yield;
  }
  return tokens;
}

/** The provider's count; ours, on the customer's side, where it counts nothing. */
const countUsage: CountUsage<EmbeddingPrompt> = (sold, _, counts) => {
  const { counted } = counts;
  if (counted && counted.inputTokens > 0) return { usage: counted, estimated: false };
  reportZeroCount(routeOf(sold, counts));
  return { usage: { ...noTokens, inputTokens: estimateInputs(sold.prompt) }, estimated: true };
};

const estimateInputs = ({ inputs }: EmbeddingPrompt): number =>
  inputs.reduce((sum, input) => sum + (typeof input === "string" ? estimateTokens(input) : input.length), 0);

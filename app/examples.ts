// The examples on pages: one prompt, in three languages, and its answer with the cost at the model's price.
// The browser tests run them unchanged.

import { curlCall, pythonCall, typescriptCall } from "@/components/docs/api-call";
import { parseUsd, usdText } from "@/lib/base/money";
import type { ModelPrice } from "@/lib/console/views/models";
import { EXAMPLE_REQUEST_ID, example } from "@/lib/gateway/openapi/examples";
import type { Site } from "./site";

const PROMPT = example.prompt;
const ANSWER = example.pieces.join("");
const TOKENS = { input: BigInt(example.tokens.input), output: BigInt(example.tokens.output) };

/** On lines of their own, since beside its answer the example has space for some 60 characters. */
const body = (model: string, more = ""): string => `{
    "model": "${model}",
    "prompt": "${PROMPT}"${more}
  }`;

/** Works as pasted, once the key's variable is set. */
export const curlPrompt = (site: Site, model: string): string => curlCall(site, { path: "/api/v1/prompt", body: `'${body(model)}'` });

/** The same as a stream; -N shows each piece as it arrives. */
export const curlStream = (site: Site, model: string): string =>
  curlCall(site, { path: "/api/v1/prompt", flags: "-sN", body: `'${body(model, ',\n    "stream": true')}'` });

export const curlBalance = (site: Site): string => curlCall(site, { path: "/api/v1/balance" });

export const curlDeposits = (site: Site): string => curlCall(site, { path: "/api/v1/deposits" });

/** Sets the key's variable: in a sandbox from the file with the demo key, otherwise by hand. */
export const exportKey = ({ isSandbox, keyVariable, sandboxFile }: Site): string =>
  isSandbox ? `export ${keyVariable}=$(node -p 'require("${sandboxFile}").apiKey')` : `export ${keyVariable}=pp_…`;

export const typescriptPrompt = (site: Site, model: string): string => typescriptCall(site, `{ model: "${model}", prompt: "${PROMPT}" }`);

export const pythonPrompt = (site: Site, model: string): string => pythonCall(site, `{"model": "${model}", "prompt": "${PROMPT}"}`);

/** The answer to the example, and how its cost was computed. */
export function exampleAnswer(model: ModelPrice): { json: string; total: bigint; parts: { text: string; cost: bigint }[] } {
  const price = { input: parseUsd(model.inputPrice) / 1_000_000n, output: parseUsd(model.outputPrice) / 1_000_000n };
  const cost = { input: TOKENS.input * price.input, output: TOKENS.output * price.output };
  const total = cost.input + cost.output;
  const json = `{
  "success": true,
  "text": "${ANSWER}",
  "model": "${model.id}",
  "usage": {
    "inputTokens": ${TOKENS.input},
    "outputTokens": ${TOKENS.output},
    "totalTokens": ${TOKENS.input + TOKENS.output}
  },
  "cost": {
    "inputCost": ${usdText(cost.input)},
    "outputCost": ${usdText(cost.output)},
    "totalCost": ${usdText(total)}
  },
  "requestId": "${EXAMPLE_REQUEST_ID}"
}`;
  const part = (side: "input" | "output", word: string) => ({
    text: `${TOKENS[side]} tokens ${word} × $${usdText(price[side])}`,
    cost: cost[side],
  });
  return { json, total, parts: [part("input", "in"), part("output", "out")] };
}

/** A red dot of two by two pixels. */
const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP8zwACTGCSAQANHQEDgslx/wAAAABJRU5ErkJggg==";

export const imageExample = ({ baseUrl, keyVariable }: Pick<Site, "baseUrl" | "keyVariable">, model = "gpt-4o"): string =>
  `curl -s ${baseUrl}/api/v1/chat/completions \\
  -H "Authorization: Bearer $${keyVariable}" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "${model}",
    "messages": [{
      "role": "user",
      "content": [
        {"type": "text", "text": "What color is this?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,${DOT}", "detail": "low"}}
      ]
    }]
  }'`;

export const embeddingExample = (
  { baseUrl, keyVariable }: Pick<Site, "baseUrl" | "keyVariable">,
  model = "text-embedding-3-small",
): string =>
  `curl -s ${baseUrl}/api/v1/embeddings \\
  -H "Authorization: Bearer $${keyVariable}" \\
  -H "Content-Type: application/json" \\
  -d '{"model": "${model}", "input": ["first text", "second text"]${shorter(model)}}'`;

/** Few numbers to look at, where the model can shorten them. */
const shorter = (model: string): string => (model.startsWith("text-embedding-3-") ? ', "dimensions": 8' : "");

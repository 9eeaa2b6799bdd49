// GET /llms.txt: the service in plain text for language models (llmstxt.org): what it is, where, how to call it, what it costs.

import { docsPages } from "@/components/docs/docs-pages";
import { config } from "@/lib/base/config";
import { defaultModelPrice, listModelPrices } from "@/lib/console/models";
import { openApiDocument } from "@/lib/gateway/openapi/document";
import { curlPrompt } from "../examples";
import { readSite } from "../site";

export const dynamic = "force-dynamic";

export function GET(): Response {
  return new Response(llmsText(), { headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "public, max-age=300" } });
}

function llmsText(): string {
  const site = readSite();
  const { name, baseUrl, isSandbox, keyVariable } = site;
  const models = listModelPrices();
  const { RATE_LIMIT_PER_MINUTE, CONCURRENCY_LIMIT } = config();
  return `# ${name}

> One API for many AI models. You pay for each request in USDC, at its exact cost.
${isSandbox ? "\nThis is a sandbox: models and money are simulated. No real money is involved.\n" : ""}
## How to call it

- Base URL: ${baseUrl}/api/v1
- Authentication: the header "Authorization: Bearer <key>". Keys start with pp_ and are created in the web console, not by API. The examples read the key from $${keyVariable}.
- OpenAI SDKs work: set the base URL to ${baseUrl}/api/v1 and use your key. Anthropic SDKs: ${baseUrl}/api.
- Limits per account: ${RATE_LIMIT_PER_MINUTE} requests per minute, ${CONCURRENCY_LIMIT} concurrent, unless agreed otherwise.
- Billing: the maximum cost is reserved before the model runs; the exact cost is charged when the answer is complete or the stream is cut. Set maxCost (USD) to limit it. With clipToBalance: true (or the header X-Clip-To-Balance: true), the answer is shortened to what the balance, the key's spending limit and maxCost allow, instead of an error.
- Pay per request: a request can include a payment signed by a wallet instead of using the balance; GET /api/v1/payment-terms describes what to sign.
- Without an account: POST /api/v1/x402/prompt takes the same body and supports x402 version 2 (scheme exact, USDC on Base and Solana; extensions payment-identifier, sign-in-with-x, bazaar).
- Deposits: USDC on Base or Solana, to the account's own addresses, listed under wallet in GET /api/v1/balance. Minimum: 1 USD.
- Retries: send an Idempotency-Key; for 24 hours, a repeated request returns the first answer and is charged once. Do not retry a 402. Wait for Retry-After on 409, 429, 503 and 529. Retry a 500 only if details.retryable is true.

${curlPrompt(site, defaultModelPrice(models).id)}

## Endpoints

${listEndpoints().join("\n")}

An error is {"error", "code", "details", "requestId"}, or in OpenAI's or Anthropic's format on their endpoints; details.docs links to the docs for its code.

## Models and prices

USD per 1M tokens:

${models.map(({ id, inputPrice, outputPrice, contextWindow }) => `- ${id}: ${inputPrice} in, ${outputPrice} out, context ${contextWindow} tokens`).join("\n")}

## Docs

Each page is also Markdown: add .md to its URL, or send "Accept: text/markdown". All of them in one file: ${baseUrl}/llms-full.txt

${docsPages.map(({ path, title, description }) => `- [${title}](${baseUrl}${path}.md): ${description}`).join("\n")}
- [OpenAPI 3.1](${baseUrl}/api/v1/openapi.json): machine-readable API reference
- [Models and prices](${baseUrl}/models): with a calculator
- [Reserves](${baseUrl}/reserves): USDC we hold and owe, at which block; as JSON: ${baseUrl}/reserves.json
`;
}

function listEndpoints(): string[] {
  return Object.entries(openApiDocument().paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary, security }]) => {
      const key = security.length > 0 ? "" : " (no key needed)";
      return `- ${method.toUpperCase()} ${path}: ${summary}${key}`;
    }),
  );
}

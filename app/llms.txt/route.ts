// GET /llms.txt: the service in plain text for language models (llmstxt.org): what it is, where, how to call it, what it costs.

import { config } from "@/lib/base/config";
import { listModelPrices } from "@/lib/console/models";
import { openApiDocument } from "@/lib/gateway/openapi/document";
import { curlPrompt, getExampleModel } from "../examples";
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

> A paid AI gateway. One API for many models; each prompt is charged its exact cost in USDC, to the last nano-dollar.
${isSandbox ? "\nThis is a sandbox: models and money are simulated. Nothing here is real money.\n" : ""}
## How to ask

- Base URL: ${baseUrl}/api/v1
- Authentication: the header "Authorization: Bearer <key>". A key begins with pp_ and is made in the web interface; there is no API for it. The examples read it from $${keyVariable}.
- OpenAI's client works unchanged: base URL ${baseUrl}/api/v1, and the key.
- Limits of an account: ${RATE_LIMIT_PER_MINUTE} requests a minute, ${CONCURRENCY_LIMIT} at the same time, unless agreed otherwise.
- Money: the most that a request can cost is held first; the exact cost is charged when the answer is there. Send maxCost (USD) to bound it.
- Pay per request: a request may carry a payment that a wallet signed, in place of the balance; GET /api/v1/payment-terms says what is signed.
- Without an account: POST /api/v1/x402/prompt takes the same body and speaks x402 version 2 (scheme exact, USDC on Base and Solana).
- Deposits: USDC on Base or Solana, to the account's own addresses, which GET /api/v1/balance names in wallet; credited from 1 USD on.
- Retries: send an Idempotency-Key and a repeated request is answered from the first answer and charged once. Do not retry a 402. Wait for Retry-After on 429 and 503.

${curlPrompt(site, getExampleModel(models).id)}

## Endpoints

${listEndpoints().join("\n")}

An error is {"error", "code", "details", "requestId"}; details.docs links to the page of its code.

## Models and prices

USD for a million tokens, input and output:

${models.map(({ id, inputPrice, outputPrice, contextWindow }) => `- ${id}: ${inputPrice} in, ${outputPrice} out, context ${contextWindow} tokens`).join("\n")}

## Docs

- [Quick start](${baseUrl}/docs): curl, TypeScript and Python
- [Deposits](${baseUrl}/docs/deposits): how USDC becomes balance, on which networks, and how long it takes
- [Withdrawals](${baseUrl}/docs/withdrawals): how balance becomes USDC in a wallet again, what it costs, and what the wallet signs
- [Pay per request](${baseUrl}/docs/payments): a wallet signs a payment with each request; an example, and every reason for a refusal
- [x402](${baseUrl}/docs/x402): pay without an account, with stock clients
- [API reference](${baseUrl}/docs/api): every operation and field
- [OpenAPI 3.1](${baseUrl}/api/v1/openapi.json): the same for programs
- [Errors](${baseUrl}/docs/errors): every code, and what to do
- [Models and prices](${baseUrl}/models): with a calculator
- [Reserves](${baseUrl}/reserves): what is owed and what is held, at which block; for programs ${baseUrl}/reserves.json
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

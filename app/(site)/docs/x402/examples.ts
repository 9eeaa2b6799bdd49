// The examples of x402: the page shows these texts, and the tests of x402 and payments run them.

import type { Site } from "@/app/site";

const PROMPT = "What is a nano-dollar?";

const send = ({ baseUrl }: Site, model: string): string =>
  `const response = await pay("${baseUrl}/api/v1/x402/prompt", {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ model: "${model}", prompt: "${PROMPT}", maxTokens: 256 }),
});
const answer = await response.json();
if (!response.ok) throw new Error(\`\${answer.code}: \${answer.error}\`);
console.log(answer.text);
console.log(answer.payment);`;

/** x402's clients pay only with known tokens by default. */
const sandboxTokens = ({ isSandbox }: Site): string =>
  isSandbox ? "\n  spendControls: { allowedAssets: true }, // a sandbox's USDC is no public token: leave this out elsewhere" : "";

/** With a wallet on Base. */
export const baseExample = (site: Site, model: string): string =>
  `import { ExactEvmScheme } from "@x402/evm";
import { wrapFetchWithPaymentFromConfig } from "@x402/fetch";
import { privateKeyToAccount } from "viem/accounts";

const wallet = privateKeyToAccount(process.env.WALLET_KEY);
const pay = wrapFetchWithPaymentFromConfig(fetch, {
  schemes: [{ network: "eip155:*", client: new ExactEvmScheme(wallet) }],${sandboxTokens(site)}
});

${send(site, model)}`;

/** With a wallet on Solana, whose secret is base58, as wallets export it. */
export const solanaExample = (site: Site, model: string): string =>
  `import { base58 } from "@scure/base";
import { createKeyPairSignerFromBytes } from "@solana/kit";
import { wrapFetchWithPaymentFromConfig } from "@x402/fetch";
import { ExactSvmScheme } from "@x402/svm";

const wallet = await createKeyPairSignerFromBytes(base58.decode(process.env.SOLANA_WALLET_KEY));
const rpcUrl = process.env.SOLANA_RPC_URL; // without one, a public node
const pay = wrapFetchWithPaymentFromConfig(fetch, {
  schemes: [{ network: "solana:*", client: new ExactSvmScheme(wallet, { rpcUrl }) }],
});

${send(site, model)}`;

/** The price, from the header PAYMENT-REQUIRED, without paying. */
export const priceExample = ({ baseUrl }: Site, model: string): string =>
  [
    `curl -s ${baseUrl}/api/v1/x402/prompt`,
    "-H 'Content-Type: application/json'",
    `-d '{"model":"${model}","prompt":"${PROMPT}","maxTokens":256}'`,
  ].join(" \\\n  ");

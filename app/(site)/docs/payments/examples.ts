// The examples of signed payments: the page shows these texts, and the test beside this file runs them.

import type { Site } from "@/app/site";

const PROMPT = "What is a nano-dollar?";

/** Sets the wallet's key and the chain's node URL: in a sandbox from its file, otherwise by hand. */
export const exportWallet = ({ isSandbox, sandboxFile }: Site): string =>
  isSandbox
    ? [
        `export WALLET_KEY=$(node -p 'require("${sandboxFile}").wallets.evm[0].privateKey')`,
        `export BASE_RPC_URL=$(node -p 'require("${sandboxFile}").rpc.base')`,
      ].join("\n")
    : "export WALLET_KEY=0x…\nexport BASE_RPC_URL=https://mainnet.base.org";

export const termsExample = ({ baseUrl }: Site): string => `curl -s ${baseUrl}/api/v1/payment-terms`;

/** Once per wallet: lets the contract take up to 5 USDC. */
export const approveExample = ({ baseUrl }: Site): string =>
  `import { createWalletClient, erc20Abi, http, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";

const terms = await (await fetch("${baseUrl}/api/v1/payment-terms")).json();
const { usdc, settlementContract } = terms.networks[0];

const wallet = createWalletClient({
  account: privateKeyToAccount(process.env.WALLET_KEY),
  transport: http(process.env.BASE_RPC_URL),
}).extend(publicActions);

const hash = await wallet.writeContract({
  chain: null,
  address: usdc,
  abi: erc20Abi,
  functionName: "approve",
  args: [settlementContract, 5_000_000n], // 5 USDC; 0n takes it back
});
await wallet.waitForTransactionReceipt({ hash, pollingInterval: 500 });
console.log("approved", hash);`;

/** Price, sign, send: for every payment. */
export const payExample = ({ baseUrl, keyVariable, name }: Site, model: string): string =>
  `import { privateKeyToAccount } from "viem/accounts";

const account = privateKeyToAccount(process.env.WALLET_KEY);

async function post(path, body) {
  const response = await fetch(\`${baseUrl}/api/v1\${path}\`, {
    method: "POST",
    headers: {
      Authorization: \`Bearer \${process.env.${keyVariable}}\`,
      "Content-Type": "application/json",
    },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(\`\${answer.code}: \${answer.error}\`);
  return answer;
}

// The most that it can cost, in whole cents.
const prompt = { model: "${model}", prompt: "${PROMPT}", maxTokens: 256 };
const { ceiling } = await post("/quote", prompt);
const amount = Math.ceil(Number((ceiling * 100).toFixed(7)));

const timestamp = Date.now();
const requestId = \`req_\${timestamp}\`; // another number for each payment
const message = [
  "${name} Payment",
  \`Request ID: \${requestId}\`,
  \`Amount: \${amount} USDC cents\`,
  \`Timestamp: \${timestamp}\`,
].join("\\n");
const signature = await account.signMessage({ message });

const answer = await post("/prompt", {
  ...prompt,
  payment: { from: account.address, requestId, amount, timestamp, network: "base", signature },
});
console.log(answer.text);
console.log(answer.payment);`;

/** The same with OpenAI's client: its body has no field for a payment, so a header carries it. */
export const openaiExample = ({ baseUrl, keyVariable, name }: Site, model: string): string =>
  `import OpenAI from "openai";
import { privateKeyToAccount } from "viem/accounts";

const openai = new OpenAI({ baseURL: "${baseUrl}/api/v1", apiKey: process.env.${keyVariable} });
const account = privateKeyToAccount(process.env.WALLET_KEY);

const amount = 5; // cents: at least the most that the request can cost
const timestamp = Date.now();
const requestId = \`req_\${timestamp}\`;
const message = \`${name} Payment\\nRequest ID: \${requestId}\\nAmount: \${amount} USDC cents\\nTimestamp: \${timestamp}\`;
const signature = await account.signMessage({ message });
const payment = { from: account.address, requestId, amount, timestamp, network: "base", signature };

const completion = await openai.chat.completions.create(
  { model: "${model}", messages: [{ role: "user", content: "${PROMPT}" }], max_completion_tokens: 256 },
  { headers: { "Payment-Proof": btoa(JSON.stringify(payment)) } },
);
console.log(completion.choices[0].message.content);`;

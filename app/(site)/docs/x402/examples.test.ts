// The example of x402 on Solana, run unchanged against the service and a chain that claims to be the public one. Base's runs with the
// examples of signed payments, which need the same chain.

import { base58 } from "@scure/base";
import { expect, test } from "vitest";
import { listModelPrices } from "@/lib/console/models";
import { openService } from "@/lib/gateway/contract/testing/service";
import { openX402OnSolana, x402SolanaSettings } from "@/lib/gateway/contract/testing/x402-solana";
import { defaultModel } from "@/lib/providers/catalogue";
import { exampleSite, runExample } from "../testing/run-example";
import { solanaExample } from "./examples";

const service = await openService({ env: x402SolanaSettings });
const x402 = await openX402OnSolana(service);

test("x402's own client pays on Solana, with a wallet that has no SOL", async () => {
  const payer = await x402.newPayer();
  const environment = { SOLANA_WALLET_KEY: base58.encode(payer.wallet.secretKey), SOLANA_RPC_URL: x402.payersNode.url };
  const printed = await runExample(solanaExample(exampleSite(service.url("node")), defaultModel(listModelPrices()).id), environment);
  expect(printed).toContain("Simulated answer");
  expect(printed).toMatch(/transaction: '[1-9A-HJ-NP-Za-km-z]{80,90}'/);
  expect(await x402.moved()).toBeGreaterThan(0n);
});

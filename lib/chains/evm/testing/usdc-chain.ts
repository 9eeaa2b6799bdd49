// A real EVM chain with test USDC: the sandbox's own chain in a temporary folder, removed with the test.

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createTestClient, type Hex, http, publicActions, toHex, walletActions } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { type EvmChainOptions, startEvmChain } from "@/lib/sandbox/evm-chain/start";
import { createNodes } from "../nodes";

export async function startUsdcChain(options: Partial<EvmChainOptions> = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), "usdc-chain-"));
  const minterKey = generatePrivateKey();
  const minter = privateKeyToAccount(minterKey);
  const chain = await startEvmChain({ dataDir, minterKey, gasFor: [minter.address], ...options });
  const { chainId } = chain;
  const rpcUrls = { default: { http: [chain.url()] } };
  const viemChain = { id: chainId, name: "test", nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 }, rpcUrls };
  const client = createTestClient({ mode: "anvil", chain: viemChain, transport: http(chain.url()), cacheTime: 0, pollingInterval: 50 })
    .extend(publicActions)
    .extend(walletActions);
  // The chain's clock mines its first block by itself: on a busy machine after a test has begun to count blocks.
  while ((await client.getBlockNumber()) === 0n) await sleep(5);
  return {
    ...chain,
    client,
    nodes: createNodes({ urls: [chain.url()], chainId }),
    minter,
    /** A key with gas money and, if requested, USDC. */
    newAccount: async (units = 0n) => {
      const account = privateKeyToAccount(generatePrivateKey());
      await chain.fundGas(account.address);
      if (units > 0n) await chain.mint(account.address, units);
      return account;
    },
    mine: (blocks: number) => client.mine({ blocks }),
    blockNumber: async () => Number(await client.getBlockNumber()),
    /** Replaces the last `depth` blocks with empty ones. */
    reorg: (depth: number) => client.request({ method: "anvil_reorg" as never, params: [depth, []] as never }),
    stop: async () => {
      await chain.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export type UsdcChain = Awaited<ReturnType<typeof startUsdcChain>>;

/** An address without a known key. */
export const newAddress = (): Hex => toHex(randomBytes(20));

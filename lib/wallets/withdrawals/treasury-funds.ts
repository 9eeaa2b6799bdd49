// What the treasury can pay on a chain, and what is asked of it: only money in final blocks, and none that is promised already.

import type { Hex } from "viem";
import { fromUsdcUnits, type NanoUsd, nanoUsd } from "@/lib/base/money";
import { readBalances } from "@/lib/chains/evm/balances";
import type { Head } from "@/lib/chains/evm/head";
import { evmNodes } from "@/lib/chains/evm/nodes";
import { usdcAddress } from "@/lib/chains/evm/usdc";
import { solanaNodes } from "@/lib/chains/solana/nodes";
import { deriveTokenAccount } from "@/lib/chains/solana/token-address";
import { readTokenBalances } from "@/lib/chains/solana/usdc";
import { type Prisma, prisma } from "@/lib/db/prisma";
import { signer } from "../custody/signer";
import type { WithdrawalChain } from "../custody/withdrawal-order";
import { UNDER_WAY } from "./withdrawal";

/** @throws EvmFailure */
export async function readBaseFunds({ finalized }: Pick<Head, "finalized">): Promise<NanoUsd> {
  const nodes = evmNodes();
  const accounts = [signer().treasury.base.toLowerCase() as Hex];
  const [units = 0n] = await readBalances({ token: usdcAddress(nodes.chainId), accounts, blockHash: finalized.hash }, nodes);
  return lessPromised("base", fromUsdcUnits(units));
}

/** @throws SolanaUnavailable */
export async function readSolanaFunds(): Promise<NanoUsd> {
  const { treasury, usdcMint } = signer();
  const account = deriveTokenAccount(treasury.solana, usdcMint);
  const balances = await readTokenBalances(solanaNodes(), [account]);
  return lessPromised("solana", fromUsdcUnits(balances.get(account)?.value ?? 0n));
}

/** What is signed and not final may have left already, or not: it counts as gone. */
async function lessPromised(chain: WithdrawalChain, balance: NanoUsd): Promise<NanoUsd> {
  return nanoUsd(balance - (await sumAmounts({ chain, state: { in: [...UNDER_WAY] } })));
}

/** nano-USD that approved withdrawals need of the treasury on a chain, and that are not signed yet: what sweeps are asked for. */
export async function readPayoutDemand(chain: WithdrawalChain): Promise<NanoUsd> {
  return nanoUsd(await sumAmounts({ chain, state: "approved", waitsFor: "funds" }));
}

async function sumAmounts(where: Prisma.WithdrawalWhereInput): Promise<bigint> {
  const { _sum } = await prisma().withdrawal.aggregate({ where, _sum: { amount: true } });
  return _sum.amount ?? 0n;
}

// The treasury's available funds on a chain, only money in final blocks that is not already committed, and the demand for them.

import type { Hex } from "viem";
import type { ChainId } from "@/lib/base/chains";
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

/** Signed payouts that are not final may or may not have left: they count as gone. */
async function lessPromised(chain: ChainId, balance: NanoUsd): Promise<NanoUsd> {
  return nanoUsd(balance - (await sumAmounts({ chain, state: { in: [...UNDER_WAY] } })));
}

/** nano-USD of approved withdrawals that wait for the treasury's funds on a chain: the sweeps' target. */
export async function readPayoutDemand(chain: ChainId): Promise<NanoUsd> {
  return nanoUsd(await sumAmounts({ chain, state: "approved", waitsFor: "funds" }));
}

async function sumAmounts(where: Prisma.WithdrawalWhereInput): Promise<bigint> {
  const { _sum } = await prisma().withdrawal.aggregate({ where, _sum: { amount: true } });
  return _sum.amount ?? 0n;
}

// The sandbox's faucet: sends worthless test USDC over the sandbox's own chains to owners on request, with a daily quota, and to their
// wallets the cost of fees. It credits nothing itself: the USDC is credited like any deposit. Any process can send, whichever of them runs
// the chains.

import type { Hex } from "viem";
import { z } from "zod";
import type { ChainId } from "@/lib/base/chains";
import { now } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { fromCents } from "@/lib/base/money";
import { log } from "@/lib/base/observe/log";
import { baseChainId } from "@/lib/chains/evm/base";
import { isEvmFailure, isNodesOwn } from "@/lib/chains/evm/failure";
import { evmNodeUrls } from "@/lib/chains/evm/node-urls";
import { evmNodes } from "@/lib/chains/evm/nodes";
import { solanaCluster } from "@/lib/chains/solana/node-urls";
import { solanaNodes } from "@/lib/chains/solana/nodes";
import { type FaucetAnswer, type FaucetWish, setFaucet } from "@/lib/console/deposit/faucet";
import { type Database, prisma } from "@/lib/db/prisma";
import { fundGas } from "./evm-chain/gas";
import { createMinter } from "./evm-chain/minter";
import { UnknownOutcome } from "./evm-chain/sender";
import type { SandboxSecrets } from "./secrets";
import { callSolana, requestUsdc } from "./solana-chain/process";

const AMOUNT = fromCents(500);
/** The same amount in millionths of a USDC. */
const UNITS = 5_000_000n;
/** On both chains together. */
const TIMES_A_DAY = 20;

interface Giver {
  /** Undefined until the chain's URL is known. */
  url: () => string | undefined;
  /** Resolves with the transaction's hash or signature. */
  give: (to: string, url: string) => Promise<string>;
  /** Tops up the coins that a wallet needs for its own transactions: fees, and on Solana the rent of a token account. */
  fundFees: (payer: string, url: string) => Promise<void>;
  /** True for an error that proves that the chain is down and received nothing. */
  isAway: (error: unknown) => boolean;
}

/** Opens the faucet for owners. */
export function openFaucet({ minter: key }: SandboxSecrets["chainKeys"]): void {
  const minter = createMinter(key as Hex, baseChainId());
  const givers: Record<ChainId, Giver> = {
    base: {
      url: () => evmNodeUrls()[0],
      give: (to) => evmNodes().callFirst((node) => minter.mint(node, to as Hex, UNITS)),
      fundFees: (payer) => evmNodes().callFirst((node) => fundGas(node, payer as Hex)),
      isAway: (error) => isEvmFailure(error) && isNodesOwn(error),
    },
    solana: {
      url: () => solanaCluster().urls[0],
      give: (to, url) => requestUsdc(url, to, UNITS),
      fundFees: fundLamports,
      isAway: isConnectionRefused,
    },
  };
  setFaucet({ amount: AMOUNT, timesADay: TIMES_A_DAY, give: (wish) => give(wish, givers[wish.chain]), hasGiven: hasGift });
}

/** A new wallet gets its fees too: it can then approve and send. */
async function give({ accountId, chain, to, payer }: FaucetWish, giver: Giver): Promise<FaucetAnswer> {
  const url = giver.url();
  if (url === undefined) return { kind: "away" };
  const gift = await takeGift(accountId, chain, TIMES_A_DAY);
  if (!gift) return { kind: "used_up" };
  const outcome = await giver.give(to, url).then(
    (transaction) => ({ kind: "given", transaction }) as const,
    (error: unknown) => ({ kind: kindOf(error, giver), error }) as const,
  );
  if (outcome.kind === "given") {
    await recordGift(gift, outcome.transaction);
    if (payer !== null)
      // The gift was sent: without fees the wallet's own page says what it lacks.
      await giver.fundFees(payer, url).catch((error: unknown) => log().warn({ err: error, chain }, "the faucet could not send fees"));
  }
  // An unknown outcome keeps its number: the gift may have been sent.
  else if (outcome.kind !== "unknown") await returnGift(gift);
  if (outcome.kind === "failed") log().error({ err: outcome.error, chain }, "the faucet could not send test USDC");
  return outcome;
}

/** 1 SOL: a fee is 0.000005, and the rent of a token account 0.002. */
const FEE_LAMPORTS = 1_000_000_000;

async function fundLamports(payer: string, url: string): Promise<void> {
  const { value: lamports } = await solanaNodes().callAtSlot("getBalance", [payer, { commitment: "processed" }], z.number());
  if (lamports < FEE_LAMPORTS / 2) await callSolana(url, "requestAirdrop", [payer, FEE_LAMPORTS]);
}

function kindOf(error: unknown, { isAway }: Giver): "unknown" | "away" | "failed" {
  if (isUnknown(error)) return "unknown";
  return isAway(error) ? "away" : "failed";
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && error.cause instanceof Error ? (error.cause as NodeJS.ErrnoException).code : undefined;

/** fetch's error for an address without a listener: no request was sent. */
const isConnectionRefused = (error: unknown): boolean => codeOf(error) === "ECONNREFUSED";

/** The chain may have received the request, but did not respond. */
const isUnknown = (error: unknown): boolean =>
  error instanceof UnknownOutcome ||
  (error instanceof Error && (error.name === "TimeoutError" || error.message === "fetch failed") && !isConnectionRefused(error));

/** It takes a number of its day before it is sent, so that concurrent requests in any number of processes never exceed the quota. */
interface Gift {
  accountId: AccountId;
  /** UTC. */
  day: Date;
  /** From 1. */
  index: number;
}

/** Takes one of today's `max` gifts; null when none is left. */
async function takeGift(accountId: AccountId, chain: ChainId, max: number): Promise<Gift | null> {
  const at = now();
  const day = new Date(at.toISOString().slice(0, 10));
  await prisma().faucetGift.deleteMany({ where: { accountId, day: { lt: day } } });
  const taken = await prisma().faucetGift.findMany({ where: { accountId, day }, select: { index: true } });
  for (let index = 1; index <= max; index++) {
    if (taken.some((gift) => gift.index === index)) continue;
    // Nobody else can have a number that is written once. A lock would be waited for with a connection that others need.
    const { count } = await prisma().faucetGift.createMany({ data: { accountId, day, index, chain, askedAt: at }, skipDuplicates: true });
    if (count === 1) return { accountId, day, index };
  }
  return null;
}

/** Records the gift's transaction. */
async function recordGift({ accountId, day, index }: Gift, transaction: string): Promise<void> {
  await prisma().faucetGift.updateMany({ where: { accountId, day, index }, data: { transaction } });
}

/** Frees the number of a gift that was not sent. */
async function returnGift({ accountId, day, index }: Gift): Promise<void> {
  await prisma().faucetGift.deleteMany({ where: { accountId, day, index } });
}

/** Whether the account has a gift; gifts of earlier days are deposits by now. */
async function hasGift(accountId: AccountId, database: Database): Promise<boolean> {
  return (await database.faucetGift.findFirst({ where: { accountId }, select: { accountId: true } })) !== null;
}

// The sandbox's faucet: test USDC that is worth nothing, sent over the sandbox's own chains to whoever asks, some times a day. It
// credits nothing: what arrives is credited as any deposit is. Any process gives, whichever of them runs the chains.

import type { Hex } from "viem";
import { fromCents } from "@/lib/base/money";
import { log } from "@/lib/base/observe/log";
import { baseChainId } from "@/lib/chains/evm/base";
import { isEvmFailure, isNodesOwn } from "@/lib/chains/evm/failure";
import { evmNodeUrls } from "@/lib/chains/evm/node-urls";
import { evmNodes } from "@/lib/chains/evm/nodes";
import { solanaCluster } from "@/lib/chains/solana/node-urls";
import { type FaucetAnswer, type FaucetChain, type FaucetWish, setFaucet } from "@/lib/console/deposit/faucet";
import { createMinter } from "./evm-chain/minter";
import { UnknownOutcome } from "./evm-chain/sender";
import { recordGift, returnGift, takeGift } from "./faucet-gifts";
import type { SandboxSecrets } from "./secrets";
import { requestUsdc } from "./solana-chain/process";

const AMOUNT = fromCents(500);
/** The same in millionths of a USDC. */
const UNITS = 5_000_000n;
/** On both chains together. */
const TIMES_A_DAY = 20;

interface Giver {
  /** Null while nobody knows yet where the chain is. */
  url: () => string | undefined;
  /** Resolves with the transaction's name on the chain. */
  give: (to: string, url: string) => Promise<string>;
  /** True of an error that says that the chain took nothing since it is away. */
  isAway: (error: unknown) => boolean;
}

/** Lets owners ask for test USDC from now on. */
export function openFaucet({ minter: key }: SandboxSecrets["chainKeys"]): void {
  const minter = createMinter(key as Hex, baseChainId());
  const givers: Record<FaucetChain, Giver> = {
    base: {
      url: () => evmNodeUrls()[0],
      give: (to) => evmNodes().callFirst((node) => minter.mint(node, to as Hex, UNITS)),
      isAway: (error) => isEvmFailure(error) && isNodesOwn(error),
    },
    solana: {
      url: () => solanaCluster().urls[0],
      give: (to, url) => requestUsdc(url, to, UNITS),
      isAway: isConnectionRefused,
    },
  };
  setFaucet({ amount: AMOUNT, timesADay: TIMES_A_DAY, give: (wish) => give(wish, givers[wish.chain]) });
}

async function give({ accountId, chain, to }: FaucetWish, giver: Giver): Promise<FaucetAnswer> {
  const url = giver.url();
  if (url === undefined) return { kind: "away" };
  const gift = await takeGift(accountId, chain, TIMES_A_DAY);
  if (!gift) return { kind: "used_up" };
  const outcome = await giver.give(to, url).then(
    (transaction) => ({ kind: "given", transaction }) as const,
    (error: unknown) => ({ kind: kindOf(error, giver), error }) as const,
  );
  if (outcome.kind === "given") await recordGift(gift, outcome.transaction);
  // Nobody knows: then it keeps its place.
  else if (outcome.kind !== "unknown") await returnGift(gift);
  if (outcome.kind === "failed") log().error({ err: outcome.error, chain }, "the faucet could not give");
  return outcome;
}

function kindOf(error: unknown, { isAway }: Giver): "unknown" | "away" | "failed" {
  if (isUnknown(error)) return "unknown";
  return isAway(error) ? "away" : "failed";
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && error.cause instanceof Error ? (error.cause as NodeJS.ErrnoException).code : undefined;

/** What `fetch` says of an address where nobody listens: nothing was asked. */
const isConnectionRefused = (error: unknown): boolean => codeOf(error) === "ECONNREFUSED";

/** The chain was asked, and did not say what it did. */
const isUnknown = (error: unknown): boolean =>
  error instanceof UnknownOutcome ||
  (error instanceof Error && (error.name === "TimeoutError" || error.message === "fetch failed") && !isConnectionRefused(error));

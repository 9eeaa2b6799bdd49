// Other tokens on Solana that lie at our addresses, and USDC outside of their own accounts: listed for the operator, who may want
// to send them back. The list holds what lies there, not what came: one call now and then reads it for each owner.

import { now } from "@/lib/base/clock";
import type { RunLimited } from "@/lib/base/semaphore";
import type { SolanaNodes } from "@/lib/chains/solana/nodes";
import { readHeldTokens } from "@/lib/chains/solana/token-accounts";
import { prisma } from "@/lib/db/prisma";
import { type Lease, underLease } from "./lease";
import type { SolanaAddress } from "./solana-cursor";
import { isNodesFailure } from "./solana-poll";

/** Of each owner: somebody who floods the list pays rent for each account. */
const MAX_LISTED = 100;

/** Lists what these owners hold. An owner that no node answers for is passed over until it is due again: the list is a courtesy. */
export async function listSolanaForeignTokens(
  lease: Lease,
  addresses: readonly SolanaAddress[],
  { nodes, inTurn }: { nodes: SolanaNodes; inTurn: RunLimited },
): Promise<void> {
  const held = await Promise.all(
    addresses.map(async ({ owner, tokenAccount, accountId }) => {
      try {
        const tokens = await inTurn(() => readHeldTokens(nodes, owner));
        const foreign = tokens.filter((token) => token.tokenAccount !== tokenAccount).slice(0, MAX_LISTED);
        return { owner, tokens: foreign.map(({ units, ...token }) => ({ ...token, units: units.toString(), owner, accountId })) };
      } catch (error) {
        if (!isNodesFailure(error)) throw error;
        return null;
      }
    }),
  );
  const listed = held.filter((one) => one !== null);
  if (listed.length > 0) await record(lease, listed);
}

interface Held {
  owner: string;
  tokens: readonly { tokenAccount: string; mint: string; owner: string; accountId: string; units: string }[];
}

/** Puts what these owners hold now in place of what they held, in two statements for all; what lay there keeps its time. */
function record(lease: Lease, held: readonly Held[]): Promise<void> {
  const tokens = held.flatMap((one) => one.tokens);
  const tokenAccount = { in: tokens.map((token) => token.tokenAccount) };
  return underLease(lease, async (transaction) => {
    const listed = await transaction.solanaForeignToken.findMany({ where: { tokenAccount }, select: { tokenAccount: true, seenAt: true } });
    const seenAt = new Map(listed.map((token) => [token.tokenAccount, token.seenAt]));
    await transaction.solanaForeignToken.deleteMany({
      where: { OR: [{ owner: { in: held.map(({ owner }) => owner) } }, { tokenAccount }] },
    });
    await transaction.solanaForeignToken.createMany({
      data: tokens.map((token) => ({ ...token, seenAt: seenAt.get(token.tokenAccount) ?? now() })),
    });
  });
}

/** What lies at our addresses of other tokens, seen last first; `units` are the token's own, whose decimals only it knows. */
export async function readSolanaForeignTokens(limit: number) {
  const tokens = await prisma().solanaForeignToken.findMany({
    orderBy: [{ seenAt: "desc" }, { tokenAccount: "asc" }],
    take: limit,
    omit: { seenAt: true },
  });
  return tokens.map(({ units, ...token }) => ({ ...token, units: units.toFixed(0) }));
}

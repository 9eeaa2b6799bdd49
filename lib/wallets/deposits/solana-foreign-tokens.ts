// Other tokens at our Solana addresses, and USDC outside their associated accounts, listed for the operator, who may want to return them.
// The list shows current balances, not transfers: an occasional call reads them per owner.

import { now } from "@/lib/base/clock";
import type { RunLimited } from "@/lib/base/semaphore";
import type { SolanaNodes } from "@/lib/chains/solana/nodes";
import { readHeldTokens } from "@/lib/chains/solana/token-accounts";
import { prisma } from "@/lib/db/prisma";
import { type Lease, underLease } from "./lease";
import type { SolanaAddress } from "./solana-cursor";
import { isNodesFailure } from "./solana-poll";

/** Per owner: an attacker who floods the list pays rent for each account. */
const MAX_LISTED = 100;

/** Lists the holdings of these owners. An owner that no node answers for is skipped until it is due again: the list is best effort. */
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

/** Replaces the stored holdings of these owners, in two statements for all; unchanged holdings keep their time. */
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

/** Foreign tokens at our addresses, last seen first; `units` are the token's base units, with unknown decimals. */
export async function readSolanaForeignTokens(limit: number) {
  const tokens = await prisma().solanaForeignToken.findMany({
    orderBy: [{ seenAt: "desc" }, { tokenAccount: "asc" }],
    take: limit,
    omit: { seenAt: true },
  });
  return tokens.map(({ units, ...token }) => ({ ...token, units: units.toFixed(0) }));
}

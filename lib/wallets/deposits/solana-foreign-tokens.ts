// Other tokens on Solana that lie at our addresses, and USDC outside of their own accounts: listed for the operator, who may want
// to send them back. What lies there is listed, not what came: one call tells it of each owner, asked now and then.

import { now } from "@/lib/base/clock";
import type { SolanaNodes } from "@/lib/chains/solana/nodes";
import { readHeldTokens } from "@/lib/chains/solana/token-accounts";
import { pool } from "@/lib/db/pool";
import { type Lease, underLease } from "./lease";
import type { RunLimited } from "./semaphore";
import type { SolanaAddress } from "./solana-cursor";
import { isNodesFailure } from "./solana-poll";

/** Of each owner: whoever wants to flood the list pays rent for each account. */
const MAX_LISTED = 100;

/** Lists what these owners hold. One that no node tells of now is passed over until it is due again: the list is a courtesy. */
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
        return { owner, rows: foreign.map(({ units, ...token }) => ({ ...token, units: units.toString(), owner, accountId })) };
      } catch (error) {
        if (!isNodesFailure(error)) throw error;
        return null;
      }
    }),
  );
  const told = held.filter((one) => one !== null);
  if (told.length === 0) return;
  await underLease(lease, async (transaction) => {
    await transaction.query("SELECT wallets_list_foreign_on_solana($1, $2, $3)", [
      told.map(({ owner }) => owner),
      JSON.stringify(told.flatMap(({ rows }) => rows)),
      now(),
    ]);
  });
}

/** What lies at our addresses of other tokens, seen last first; `units` are the token's own, whose decimals only it knows. */
export async function readSolanaForeignTokens(limit: number) {
  const { rows } = await pool().query<{ tokenAccount: string; mint: string; owner: string; accountId: string; units: string }>(
    `SELECT token_account AS "tokenAccount", mint, owner, account_id AS "accountId", units::text FROM solana_foreign_token
     ORDER BY seen_at DESC, token_account LIMIT $1`,
    [limit],
  );
  return rows;
}

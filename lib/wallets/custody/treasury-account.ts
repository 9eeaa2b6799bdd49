// The treasury's USDC account on Solana, which receives payments: it must exist before any payment is requested. It is created once.

import { processSingleton } from "@/lib/base/process-singleton";
import { findAccount } from "@/lib/chains/solana/accounts";
import { solanaCluster } from "@/lib/chains/solana/node-urls";
import { type SolanaNodes, solanaNodes } from "@/lib/chains/solana/nodes";
import { deriveTokenAccount } from "@/lib/chains/solana/token-address";
import { readBlockhash } from "@/lib/chains/solana/transactions";
import { inTransaction } from "@/lib/db/prisma";
import { isOutage } from "@/lib/relay/chain";
import { findRelayed } from "@/lib/relay/relayed";
import { sendStored } from "@/lib/relay/send";
import { storeSigned } from "@/lib/relay/signed";
import { signer } from "./signer";

/** 0.003 SOL: the account's rent and the fee. */
const MIN_LAMPORTS = 3_000_000n;
const MAX_ATTEMPTS = 100;

const seen = processSingleton<{ nodes?: SolanaNodes }>("treasury's token account", () => ({}));

/** Creates the account unless it exists or its transaction is pending. Without nodes, SOL or the signer the next run retries. */
export async function openTreasuryAccount(): Promise<void> {
  if (solanaCluster().urls.length === 0) return;
  const nodes = solanaNodes();
  if (seen().nodes === nodes) return;
  try {
    const { treasury, usdcMint } = signer();
    if (await findAccount(nodes, deriveTokenAccount(treasury.solana, usdcMint))) seen().nodes = nodes;
    else if (((await findAccount(nodes, treasury.solana))?.lamports ?? 0n) >= MIN_LAMPORTS) await send(nodes);
  } catch (error) {
    if (!isOutage(error)) throw error;
  }
}

async function send(nodes: SolanaNodes): Promise<void> {
  const id = await nextId();
  if (id === null) return;
  const { blockhash, lastValidBlockHeight, slot } = await readBlockhash(nodes);
  const signed = await signer().signTreasuryAccountOnSolana(blockhash);
  const feePayer = signer().treasury.solana;
  await inTransaction((transaction) => storeSigned({ id, ...signed, feePayer, lastValidBlockHeight, slot }, transaction));
  await sendStored(id);
}

/** The next attempt's id; null while an earlier attempt may still be included. */
async function nextId(): Promise<string | null> {
  const ids = Array.from({ length: MAX_ATTEMPTS }, (_, index) => `treasury_account_${index + 1}`);
  const known = await findRelayed(ids);
  if (known.some(({ state }) => state === "stored" || state === "sent" || state === "succeeded")) return null;
  return ids[known.length] ?? null;
}

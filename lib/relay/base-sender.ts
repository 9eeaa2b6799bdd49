// The sender on Base, held against the chain: its nonces there are ours, no more and no less. When they are not, nothing is sent
// until an operator has looked, or the chain agrees again.

import type { Hex } from "viem";
import { log } from "@/lib/base/observe/log";
import type { EvmNodes } from "@/lib/chains/evm/nodes";
import { pool } from "@/lib/db/pool";
import { type MinedNonces, readMinedNonces } from "./nonces";

export type SenderFault = "nonce_ahead" | "nonce_behind";

interface SenderRow {
  nextNonce: number;
  leastOpen: number;
  fault: SenderFault | null;
}

const cures: Record<SenderFault, string> = {
  nonce_ahead:
    "The relay on Base stands still: the chain has transactions of the relayer that this service did not send. Somebody else holds its key, or another database of this service uses the same seed. Stop that one, then run: npm run relay -- realign",
  nonce_behind:
    "The relay on Base stands still: the chain lacks transactions of the relayer that were final. The nodes in BASE_RPC_URLS serve another chain or have lost blocks: correct them, and it goes on by itself. A sandbox whose chain was deleted needs a new DATA_DIR.",
};

async function readSender(sender: string): Promise<SenderRow | null> {
  const { rows } = await pool().query<SenderRow>(
    `SELECT next_nonce AS "nextNonce", relay_least_open(chain, address) AS "leastOpen", fault
     FROM relay_sender WHERE chain = 'base' AND address = $1`,
    [sender],
  );
  return rows[0] ?? null;
}

function faultOf({ least, most }: MinedNonces, { nextNonce, leastOpen }: SenderRow): SenderFault | null {
  if (least > nextNonce) return "nonce_ahead";
  return most < leastOpen ? "nonce_behind" : null;
}

export interface CheckedSender {
  mined: MinedNonces;
  fault: SenderFault | null;
}

/** Reads the sender's nonces and writes down what is wrong with them, or that nothing is any more. @throws EvmFailure */
export async function checkSender(sender: Hex, nodes: EvmNodes): Promise<CheckedSender> {
  // The chain first: it can know of no nonce that is not stored by then.
  const mined = await readMinedNonces(sender, nodes);
  const row = await readSender(sender);
  const fault = row && faultOf(mined, row);
  if (row && fault !== row.fault) {
    await pool().query("UPDATE relay_sender SET fault = $2 WHERE chain = 'base' AND address = $1", [sender, fault]);
    if (fault) log().error({ ...row, fault, sender, mined }, cures[fault]);
    else log().info({ sender, mined }, "the relay on Base goes on: its nonces are the chain's again");
  }
  return { mined, fault };
}

/**
 * Goes on behind the transactions that somebody else sent with the relayer's key, once no more come.
 * @returns the next nonce before and after
 * @throws EvmFailure; Error when the nodes do not agree, or there is nothing to realign
 */
export async function realignSender(sender: Hex, nodes: EvmNodes): Promise<{ before: number; after: number }> {
  const { least, most, pending } = await readMinedNonces(sender, nodes);
  if (least !== most || pending !== most) {
    throw new Error(`The nodes do not agree on the next nonce of ${sender} (${least}, ${most}, ${pending}): try again in a minute.`);
  }
  const { rows } = await pool().query<{ before: number }>(
    `UPDATE relay_sender s SET next_nonce = $2, fault = NULL
     FROM (SELECT next_nonce FROM relay_sender WHERE chain = 'base' AND address = $1 FOR UPDATE) AS old
     WHERE s.chain = 'base' AND s.address = $1 AND s.next_nonce < $2
     RETURNING old.next_nonce AS before`,
    [sender, most],
  );
  const [realigned] = rows;
  if (!realigned) throw new Error(`The chain's next nonce of ${sender} is ${most}, which is not beyond ours: there is nothing to realign.`);
  return { before: realigned.before, after: most };
}

// The sender on Base, held against the chain: its nonces there are ours, no more and no less. When they are not, nothing is sent
// until an operator has looked, or the chain agrees again.

import type { Hex } from "viem";
import { log } from "@/lib/base/observe/log";
import type { EvmNodes } from "@/lib/chains/evm/nodes";
import { pool } from "@/lib/db/pool";
import { type MinedNonces, readFinalNonce, readMinedNonces } from "./nonces";

export type SenderFault = "nonce_ahead" | "nonce_behind";

interface SenderRow {
  nextNonce: number;
  leastOpen: number;
  fault: SenderFault | null;
}

const cures: Record<SenderFault, string> = {
  nonce_ahead:
    "The relay on Base stands still: the chain has transactions of the relayer that this service did not send. Somebody else holds its key, or another database of this service uses the same seed. Stop that one: once its transactions are final and no more come, the relay goes on behind them by itself.",
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
  const isRealigned = fault === "nonce_ahead" && (await realign(sender, mined, nodes));
  return { mined, fault: isRealigned ? null : fault };
}

/** True once all that somebody else sent with the relayer's key is final and nothing more is on its way: it goes on behind that. */
async function realign(sender: Hex, { least, most, pending }: MinedNonces, nodes: EvmNodes): Promise<boolean> {
  if (least !== most || pending !== most || (await readFinalNonce(sender, nodes)) !== most) return false;
  const { rowCount } = await pool().query(
    "UPDATE relay_sender SET next_nonce = $2, fault = NULL WHERE chain = 'base' AND address = $1 AND next_nonce < $2",
    [sender, most],
  );
  if (rowCount === 1) log().warn({ sender, nextNonce: most }, "the relay on Base goes on behind what somebody else sent with its key");
  return rowCount === 1;
}

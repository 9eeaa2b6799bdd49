// RPC methods that simulate and send transactions, and the faucet's.

import type { Chain, Sent } from "../chain";
import { Faucet } from "../faucet";
import type { Method } from "../rpc/answer";
import { readAddress, readCommitment, readInteger, readOptions, readText, withContext } from "../rpc/params";
import { invalidParams, minContextSlotNotReached, preflightFailure, signatureFailure } from "../rpc/rpc-error";
import type { Run } from "../runtime/bank";
import { transactionErrorText } from "../runtime/transaction-error";
import { readTransaction } from "../runtime/wire";

/** Of a packet in base64. */
const MAX_CHARACTERS = 1_644;
const MAX_AIRDROP_LAMPORTS = 1_000 * 1e9;

export function sendMethods(chain: Chain): Record<string, Method> {
  const faucet = new Faucet(chain);
  return {
    sendTransaction: ([text, given]) => {
      const options = readOptions(given);
      return sendTransaction(chain, readSent(text, options.encoding), options);
    },
    simulateTransaction: ([text, given]) => {
      const options = readOptions(given);
      return simulateTransaction(chain, readSent(text, options.encoding), options);
    },
    requestAirdrop: ([to, lamports]) => faucet.sendLamports(readAddress(to), readInteger(lamports, MAX_AIRDROP_LAMPORTS)),
    // The sandbox's own method: no validator has it.
    sandbox_requestUsdc: ([owner, units]) => faucet.sendUsdc(readAddress(owner), readUnits(units)),
  };
}

function readUnits(value: unknown): bigint {
  const text = String(value);
  if (!/^[1-9]\d{0,18}$/.test(text)) throw invalidParams("Invalid params: expected units above zero");
  return BigInt(text);
}

function sendTransaction(chain: Chain, sent: Sent, { skipPreflight, minContextSlot }: Record<string, unknown>): string {
  const { current } = chain.slots;
  if (readInteger(minContextSlot ?? 0) > current) throw minContextSlotNotReached(current);
  const run = skipPreflight ? null : chain.simulate(sent);
  if (run?.error === "SignatureFailure") throw signatureFailure();
  if (run?.error) throw preflightFailure(transactionErrorText(run.error), encodeRun(run));
  chain.send(sent);
  return sent.signatures[0] ?? "";
}

function simulateTransaction(chain: Chain, sent: Sent, options: Record<string, unknown>) {
  const asked = readCommitment(chain, options);
  const { sigVerify, replaceRecentBlockhash } = options;
  if (sigVerify && replaceRecentBlockhash) throw invalidParams("sigVerify may not be used with replaceRecentBlockhash");
  const run = chain.simulate(sent, { verifySignatures: Boolean(sigVerify), anyBlockhash: Boolean(replaceRecentBlockhash) });
  if (run.error === "SignatureFailure") throw signatureFailure();
  const replacementBlockhash = replaceRecentBlockhash ? chain.blockhashAt(chain.slots.current) : null;
  return withContext(chain, asked, { ...encodeRun(run), replacementBlockhash });
}

function encodeRun({ error, logs, unitsConsumed }: Run) {
  return { err: error, logs, unitsConsumed, returnData: null, accounts: null, innerInstructions: null };
}

/** @throws RpcError -32602 when the text is not a transaction in base64, the encoding of every current client */
function readSent(given: unknown, encoding: unknown): Sent {
  const text = readText(given);
  if (encoding !== "base64" || !/^[A-Za-z0-9+/]+={0,2}$/.test(text))
    throw invalidParams("this chain takes transactions in base64 encoding");
  if (text.length > MAX_CHARACTERS) throw invalidParams(`base64 encoded transaction too large: ${text.length} bytes`);
  const bytes = Buffer.from(text, "base64");
  try {
    return { ...readTransaction(bytes), bytes };
  } catch (error) {
    if (error instanceof RangeError) throw invalidParams(`failed to deserialize solana_transaction: ${error.message}`);
    throw error;
  }
}

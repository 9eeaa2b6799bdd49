// RPC methods that simulate and send transactions, and the faucet's.

import { base58 } from "@scure/base";
import { z } from "zod";
import type { Chain, Sent } from "../chain";
import { encodeAccount } from "../encoding/account";
import { Faucet } from "../faucet";
import type { Method } from "../rpc/answer";
import { address, baseOptions, readCommitment, readParams, slot, withContext } from "../rpc/params";
import { invalidParams, minContextSlotNotReached, preflightFailure, RpcError, signatureFailure } from "../rpc/rpc-error";
import type { Simulation } from "../runtime/bank";
import { transactionErrorText } from "../runtime/transaction-error";
import { MAX_TRANSACTION_BYTES, readTransaction } from "../runtime/wire";

const wireEncoding = z.enum(["base58", "base64"]).nullish();

const sendOptions = z.looseObject({
  encoding: wireEncoding,
  skipPreflight: z.boolean().nullish(),
  minContextSlot: slot.nullish(),
});

const simulateOptions = baseOptions.extend({
  encoding: wireEncoding,
  sigVerify: z.boolean().nullish(),
  replaceRecentBlockhash: z.boolean().nullish(),
  innerInstructions: z.boolean().nullish(),
  accounts: z.object({ addresses: z.array(address), encoding: z.enum(["base64", "jsonParsed"]).nullish() }).nullish(),
});

const MAX_AIRDROP_LAMPORTS = 1_000 * 1e9;
const units = z.union([z.int().positive(), z.string().regex(/^[1-9]\d{0,18}$/)]).transform(BigInt);

export function sendMethods(chain: Chain): [string, Method][] {
  const faucet = new Faucet(chain);
  return [
    [
      "sendTransaction",
      (params) => {
        const [text, options] = readParams(params, z.tuple([z.string(), sendOptions.nullish()]));
        return sendTransaction(chain, readSent(text, options?.encoding ?? "base58"), options);
      },
    ],
    [
      "simulateTransaction",
      (params) => {
        const [text, options] = readParams(params, z.tuple([z.string(), simulateOptions.nullish()]));
        return simulateTransaction(chain, readSent(text, options?.encoding ?? "base58"), options);
      },
    ],
    [
      "requestAirdrop",
      (params) => {
        const [to, lamports] = readParams(params, z.tuple([address, z.int().min(0).max(MAX_AIRDROP_LAMPORTS)]));
        return faucet.sendLamports(to, lamports);
      },
    ],
    // The sandbox's own method: no validator has it.
    [
      "sandbox_requestUsdc",
      (params) => {
        const [owner, amount] = readParams(params, z.tuple([address, units]));
        return faucet.sendUsdc(owner, amount);
      },
    ],
  ];
}

function sendTransaction(chain: Chain, sent: Sent, options: z.output<typeof sendOptions> | null | undefined): string {
  const { current } = chain.slots;
  if ((options?.minContextSlot ?? 0) > current) throw minContextSlotNotReached(current);
  const simulation = options?.skipPreflight ? null : simulate(chain, sent, {});
  if (simulation?.error === "SignatureFailure") throw signatureFailure();
  if (simulation?.error) throw preflightFailure(transactionErrorText(simulation.error), encodeSimulation(simulation));
  chain.send(sent);
  return sent.signatures[0] ?? "";
}

function simulateTransaction(chain: Chain, sent: Sent, options: z.output<typeof simulateOptions> | null | undefined) {
  const asked = readCommitment(chain, options);
  const { sigVerify, replaceRecentBlockhash, accounts, innerInstructions } = options ?? {};
  if (sigVerify && replaceRecentBlockhash) throw invalidParams("sigVerify may not be used with replaceRecentBlockhash");
  const simulation = simulate(chain, sent, { verifySignatures: sigVerify ?? false, anyBlockhash: replaceRecentBlockhash ?? false });
  if (simulation.error === "SignatureFailure") throw signatureFailure();
  return withContext(chain, asked, {
    ...encodeSimulation(simulation),
    accounts:
      accounts?.addresses.map((key) => {
        const account = simulation.accounts.get(key) ?? chain.accountAt(key, asked);
        return account && encodeAccount(chain.bank, account, { encoding: accounts.encoding ?? "base64" });
      }) ?? null,
    innerInstructions: innerInstructions ? simulation.innerInstructions : null,
    ...(replaceRecentBlockhash && { replacementBlockhash: replacementOf(chain) }),
  });
}

function replacementOf({ slots }: Chain) {
  return { blockhash: slots.blockhash(slots.current), lastValidBlockHeight: slots.heightOf(slots.current) + 150 };
}

function simulate(chain: Chain, sent: Sent, options: { verifySignatures?: boolean; anyBlockhash?: boolean }): Simulation {
  try {
    chain.accountsOf(sent.message);
  } catch (error) {
    if (error instanceof RangeError) throw new RpcError(-32602, `invalid transaction: ${error.message}`);
    throw error;
  }
  return chain.simulate(sent, options);
}

function encodeSimulation({ error, logs, unitsConsumed, returnData }: Simulation) {
  return { err: error, logs, unitsConsumed, returnData, accounts: null, innerInstructions: null, replacementBlockhash: null };
}

/** @throws RpcError -32602 when the text is not a transaction */
function readSent(text: string, encoding: "base58" | "base64"): Sent {
  const mostCharacters = encoding === "base58" ? 1683 : 1644;
  if (text.length > mostCharacters)
    throw invalidParams(`${encoding} encoded transaction too large: ${text.length} bytes (max: encoded/raw ${mostCharacters}/1232)`);
  const bytes = decode(text, encoding);
  if (bytes.length > MAX_TRANSACTION_BYTES)
    throw invalidParams(`decoded transaction too large: ${bytes.length} bytes (max: ${MAX_TRANSACTION_BYTES} bytes)`);
  try {
    return { ...readTransaction(bytes), bytes };
  } catch (error) {
    if (error instanceof RangeError) throw invalidParams(`failed to deserialize solana_transaction: ${error.message}`);
    throw error;
  }
}

function decode(text: string, encoding: "base58" | "base64"): Uint8Array {
  const isWellFormed = encoding === "base58" ? /^[1-9A-HJ-NP-Za-km-z]+$/ : /^[A-Za-z0-9+/]+={0,2}$/;
  if (!isWellFormed.test(text)) throw invalidParams(`invalid ${encoding} encoding: InvalidCharacter`);
  return encoding === "base58" ? base58.decode(text) : Buffer.from(text, "base64");
}

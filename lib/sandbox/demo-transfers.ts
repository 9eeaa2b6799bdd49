// What the demo wallet pays: USDC to the deposit address that it is told, and what the settlement contract is allowed to take; nothing
// else. A page hands it a whole transaction; its key signs only what says the same as what this file would write itself.

import { sign } from "node:crypto";
import { base58 } from "@scure/base";
import type { Hex } from "viem";
import { baseChainId } from "@/lib/chains/evm/base";
import { evmNodes } from "@/lib/chains/evm/nodes";
import { encodeApproval, encodeTransfer, usdcOnBase } from "@/lib/chains/evm/usdc";
import { createTokenAccount, transferUsdc } from "@/lib/chains/solana/instructions";
import type { Instruction } from "@/lib/chains/solana/message";
import { deriveTokenAccount } from "@/lib/chains/solana/token-address";
import type { DemoReceivers, PayDemo } from "@/lib/console/demo-wallets";
import type { DemoTransfer } from "@/lib/console/views/wallet";
import { type DemoKeys, solanaKeyPair } from "./demo-wallets";
import { createSender } from "./evm-chain/sender";
import { readTransaction, type WireMessage } from "./solana-chain/runtime/wire";

type EvmTransfer = Extract<DemoTransfer, { chain: "evm" }>;

const WORD_DIGITS = 64;
const SIGNATURES_BYTES = 1 + 64;

export function demoPayments(keys: DemoKeys): PayDemo {
  const send = createSender(keys.evm as Hex, baseChainId());
  return async (transfer, to) => {
    if (transfer.chain === "solana") return signOnSolana(keys, Buffer.from(transfer.transaction, "base64"), to);
    const data = readEvmCall(transfer, to);
    return data && evmNodes().callFirst((node) => send(node, data));
  };
}

/** The call's data when it is a transfer of USDC to the deposit address, or an approval of it for the settlement contract. */
function readEvmCall({ to: token, data, value = "0x0" }: EvmTransfer, to: DemoReceivers): Hex | null {
  if (token.toLowerCase() !== usdcOnBase || !/^0x0*$/.test(value)) return null;
  const units = data.slice(-WORD_DIGITS);
  if (!/^[0-9a-f]{64}$/i.test(units)) return null;
  const amount = BigInt(`0x${units}`);
  const expected = [encodeTransfer(to.base as Hex, amount), ...(to.settlement ? [encodeApproval(to.settlement as Hex, amount)] : [])];
  return expected.find((call) => call === data.toLowerCase()) ?? null;
}

function signOnSolana(keys: DemoKeys, transaction: Buffer, to: DemoReceivers): string | null {
  const { address, key } = solanaKeyPair(keys.solana);
  const message = readMessage(transaction);
  return message && isTransfer(message, address, to) ? base58.encode(sign(null, transaction.subarray(SIGNATURES_BYTES), key)) : null;
}

/** The message of a transaction that one key signs, whatever its instructions. */
function readMessage(transaction: Buffer): WireMessage | null {
  try {
    const { message } = readTransaction(transaction);
    return message.version === "legacy" && message.header.numRequiredSignatures === 1 ? message : null;
  } catch (error) {
    if (error instanceof RangeError) return null; // no transaction at all
    throw error;
  }
}

/** Whether it is the transfer, with or without the making of the receiver's token account before it, and no more. */
function isTransfer(message: WireMessage, payer: string, { solana: owner, usdcMint: mint }: DemoReceivers): boolean {
  const instructions = message.instructions.map((instruction) => resolve(message, instruction));
  const last = instructions.at(-1);
  if (message.accountKeys[0] !== payer || !last || last.data.length < 9) return false;
  const units = Buffer.from(last.data).readBigUInt64LE(1);
  const tokenAccount = deriveTokenAccount(owner, mint);
  const expected = [
    createTokenAccount({ payer, tokenAccount, owner, mint }),
    transferUsdc({ mint, owner: payer, from: deriveTokenAccount(payer, mint), to: tokenAccount, units }),
  ].slice(-instructions.length);
  return instructions.length <= expected.length && written(instructions) === written(expected);
}

const resolve = ({ accountKeys }: WireMessage, { programIdIndex, accounts, data }: WireMessage["instructions"][number]): Instruction => ({
  program: accountKeys[programIdIndex] ?? "",
  accounts: accounts.map((index) => ({ key: accountKeys[index] ?? "" })),
  data,
});

/** What instructions do, as a text to compare: which accounts sign or change is the message's, where only the payer signs. */
const written = (instructions: readonly Instruction[]): string =>
  JSON.stringify(instructions.map(({ program, accounts, data }) => [program, accounts.map(({ key }) => key), [...data]]));

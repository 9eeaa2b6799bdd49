// The transactions that the demo wallet signs: USDC transfers to the given deposit address, and approvals for the settlement contract;
// nothing else. A page passes a whole transaction; the key signs it only when it equals the transaction that this file would write.

import { base58 } from "@scure/base";
import type { Hex } from "viem";
import { baseChainId } from "@/lib/chains/evm/base";
import { evmNodes } from "@/lib/chains/evm/nodes";
import { encodeApproval, encodeTransfer, usdcOnBase } from "@/lib/chains/evm/usdc";
import { createTokenAccount, transferUsdc } from "@/lib/chains/solana/instructions";
import { signWith } from "@/lib/chains/solana/message";
import { type ReadInstruction, type ReadTransaction, readTransaction } from "@/lib/chains/solana/read-transaction";
import { deriveTokenAccount } from "@/lib/chains/solana/token-address";
import type { DemoReceivers, PayDemo } from "@/lib/console/demo-wallets";
import type { DemoTransfer } from "@/lib/console/views/wallet";
import { type DemoKeys, solanaKeyPair } from "./demo-wallets";
import { createSender } from "./evm-chain/sender";

type EvmTransfer = Extract<DemoTransfer, { chain: "evm" }>;

const WORD_DIGITS = 64;
/** In the first byte of a versioned message. */
const VERSION_BIT = 0x80;

export function demoPayments(keys: DemoKeys): PayDemo {
  const send = createSender(keys.evm as Hex, baseChainId());
  return async (transfer, to) => {
    if (transfer.chain === "solana") return signOnSolana(keys, Buffer.from(transfer.transaction, "base64"), to);
    const data = readEvmCall(transfer, to);
    return data && evmNodes().callFirst((node) => send(node, data));
  };
}

/** The call's data when it transfers USDC to the deposit address, or approves USDC for the settlement contract. */
function readEvmCall({ to: token, data, value = "0x0" }: EvmTransfer, to: DemoReceivers): Hex | null {
  if (token.toLowerCase() !== usdcOnBase || !/^0x0*$/.test(value)) return null;
  const units = data.slice(-WORD_DIGITS);
  if (!/^[0-9a-f]{64}$/i.test(units)) return null;
  const amount = BigInt(`0x${units}`);
  const expected = [encodeTransfer(to.base as Hex, amount), ...(to.settlement ? [encodeApproval(to.settlement as Hex, amount)] : [])];
  return expected.find((call) => call === data.toLowerCase()) ?? null;
}

function signOnSolana(keys: DemoKeys, transaction: Buffer, to: DemoReceivers): string | null {
  const { address, seed } = solanaKeyPair(keys.solana);
  const read = readSingle(transaction);
  return read && isTransfer(read, address, to) ? base58.encode(signWith(seed, read.message)) : null;
}

/** A legacy transaction with a single signer, with any instructions. */
function readSingle(transaction: Buffer): ReadTransaction | null {
  try {
    const read = readTransaction(transaction);
    return (read.message[0] ?? 0) < VERSION_BIT && read.signers === 1 ? read : null;
  } catch (error) {
    if (error instanceof RangeError) return null; // not a transaction
    throw error;
  }
}

/** Whether it is exactly the transfer, optionally preceded by the creation of the receiver's token account. */
function isTransfer({ instructions, keys }: ReadTransaction, payer: string, { solana: owner, usdcMint: mint }: DemoReceivers): boolean {
  const last = instructions.at(-1);
  if (keys[0] !== payer || !last || last.data.length < 9) return false;
  const units = Buffer.from(last.data).readBigUInt64LE(1);
  const tokenAccount = deriveTokenAccount(owner, mint);
  const expected = [
    createTokenAccount({ payer, tokenAccount, owner, mint }),
    transferUsdc({ mint, owner: payer, from: deriveTokenAccount(payer, mint), to: tokenAccount, units }),
  ].slice(-instructions.length);
  // Signer and writable flags are left out: the message sets them, and only the payer signs it.
  const wanted = expected.map(({ accounts, ...instruction }) => ({ ...instruction, accounts: accounts.map(({ key }) => key) }));
  return instructions.length <= expected.length && written(instructions) === written(wanted);
}

/** Instructions as comparable text. */
const written = (instructions: readonly ReadInstruction[]): string =>
  JSON.stringify(instructions.map(({ program, accounts, data }) => [program, accounts, [...data]]));

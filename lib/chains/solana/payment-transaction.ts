// A payment that its payer signed and we submit: we pay the fee, so our key signs the same bytes. Therefore it may contain only two compute
// budget instructions, one USDC transfer from the payer's account to the payee's, one memo, and the read-only guards that wallets add to
// protect their owners. This is the form of x402's scheme "exact" on Solana.

import { createHash } from "node:crypto";
import { base58 } from "@scure/base";
import { COMPUTE_BUDGET_PROGRAM, GUARD_PROGRAM, MEMO_PROGRAM, TOKEN_PROGRAM, USDC_DECIMALS } from "./instructions";
import { type ReadInstruction, type ReadTransaction, readTransaction } from "./read-transaction";
import { isSignatureOf } from "./signature";
import { deriveTokenAccount } from "./token-address";

/** The required terms. */
export interface PaymentTerms {
  /** Pays the fee. Only a guard instruction may reference it, read-only. */
  feePayer: string;
  mint: string;
  /** The payee: the owner of the receiving token account. */
  payTo: string;
}

export interface PaymentTransaction {
  /** The message that both sign. Two transactions with the same message are one to the chain, whatever their signatures. */
  message: Uint8Array;
  /** SHA-256 of the message, base58. */
  messageHash: string;
  payer: string;
  payerSignature: Uint8Array;
  /** Token accounts. */
  from: string;
  to: string;
  /** Base units. */
  units: bigint;
  memo: string;
  blockhash: string;
}

export type ReadPaymentTransaction =
  | { kind: "read"; transaction: PaymentTransaction }
  /** `why` is a short English sentence without a full stop. `isForged`: only the payer's signature is wrong. */
  | { kind: "refused"; why: string; isForged: boolean };

/** Both signatures cost 10,000 lamports; we pay at most as much again as a priority fee. */
const MAX_PRIORITY_LAMPORTS = 10_000n;
const MAX_COMPUTE_UNITS = 200_000n;
const MICRO = 1_000_000n;

const SIGNERS = 2;
/** Mint, and the compute budget, token and memo programs. */
const READONLY_OTHERS = 4;
/** Fee payer, payer, the two token accounts and the read-only keys; no unused key is allowed. */
const KEYS = 8;
const MAX_MEMO_BYTES = 64;

/** Phantom adds four, anywhere (seen in August 2026), Solflare two at the end. */
const MAX_GUARDS = 6;
/**
 * Lighthouse's assertions about accounts and the clock. Lower numbers write memory at a signer's expense; higher ones call other programs
 * to evaluate their assertion.
 */
const GUARDS = { from: 2, to: 15 };

/** Parses a client's transaction and verifies the payer's signature; the fee payer's is ignored. */
export function readPaymentTransaction(bytes: Uint8Array, terms: PaymentTerms): ReadPaymentTransaction {
  try {
    const transaction = readPayment(readTransaction(bytes), terms);
    if (isSignatureOf(transaction.payer, transaction.message, transaction.payerSignature)) return { kind: "read", transaction };
    return { kind: "refused", why: "the payer's signature is not of this transaction", isForged: true };
  } catch (error) {
    if (error instanceof RangeError) return { kind: "refused", why: error.message, isForged: false };
    throw error;
  }
}

/** The same transaction with the fee payer's signature inserted. */
export function withFeePayerSignature(bytes: Uint8Array, signature: Uint8Array): Buffer {
  return Buffer.concat([bytes.subarray(0, 1), signature, bytes.subarray(1 + signature.length)]);
}

/** @throws RangeError */
function readPayment(transaction: ReadTransaction, { feePayer, mint, payTo }: PaymentTerms): PaymentTransaction {
  const { keys, signatures, message, blockhash } = transaction;
  const [first, payer = ""] = keys;
  const isGuard = ({ program }: ReadInstruction) => program === GUARD_PROGRAM;
  const guards = transaction.instructions.filter(isGuard);
  const own = transaction.instructions.filter((instruction) => !isGuard(instruction));
  const [limit, price, transfer, memo, ...more] = own;
  demand(transaction.lookups === 0, "it uses address lookup tables");
  demand(transaction.signers === SIGNERS, "it is not signed by fee payer and payer alone");
  demand(first === feePayer, "its fee payer is another one");
  demand(transaction.readonlySigners <= 1, "its fee payer cannot pay");
  const [from, to] = [deriveTokenAccount(payer, mint), deriveTokenAccount(payTo, mint)];
  const inPayment = new Set([feePayer, payer, from, to, mint, COMPUTE_BUDGET_PROGRAM, TOKEN_PROGRAM, MEMO_PROGRAM]);
  const inGuards = new Set(guards.flatMap(({ program, accounts }) => [program, ...accounts]).filter((key) => !inPayment.has(key)));
  demand(
    transaction.readonlyOthers === READONLY_OTHERS + inGuards.size && keys.length === KEYS + inGuards.size,
    "it names accounts that have no part in a payment",
  );
  demand(limit && price && transfer && memo && more.length === 0, "it is not compute limit, compute price, transfer and memo");
  demand(!own.some(({ accounts }) => accounts.includes(feePayer)), "an instruction uses the fee payer");
  checkGuards(guards);
  checkComputing(limit, price);
  const units = readTransfer(transfer, [from, mint, to, payer]);
  const written = keys.slice(SIGNERS, keys.length - transaction.readonlyOthers);
  demand(
    written.every((key) => key === from || key === to),
    "it writes an account that has no part in a payment",
  );
  return {
    message,
    messageHash: base58.encode(createHash("sha256").update(message).digest()),
    blockhash,
    payer,
    payerSignature: signatures[1] ?? new Uint8Array(),
    from,
    to,
    units,
    memo: readMemo(memo),
  };
}

/** @throws RangeError when a guard could do more than make the transaction fail */
function checkGuards(guards: readonly ReadInstruction[]): void {
  demand(guards.length <= MAX_GUARDS, `its wallet added more than ${MAX_GUARDS} guards`);
  const onlyLooks = ({ data: [kind = 0] }: ReadInstruction) => kind >= GUARDS.from && kind <= GUARDS.to;
  demand(guards.every(onlyLooks), "one of its guards does more than look at an account");
}

/** @throws RangeError when the priority fee exceeds our limit */
function checkComputing(limit: ReadInstruction, price: ReadInstruction): void {
  const isSetting = ({ program, accounts, data }: ReadInstruction, kind: number, length: number) =>
    program === COMPUTE_BUDGET_PROGRAM && accounts.length === 0 && data.length === length && data[0] === kind;
  demand(isSetting(limit, 2, 5) && isSetting(price, 3, 9), "it does not begin with a compute limit and a compute price");
  const units = BigInt(bufferOf(limit).readUInt32LE(1));
  const lamports = (units * bufferOf(price).readBigUInt64LE(1) + MICRO - 1n) / MICRO;
  demand(units <= MAX_COMPUTE_UNITS, `its compute limit is above ${MAX_COMPUTE_UNITS}`);
  demand(lamports <= MAX_PRIORITY_LAMPORTS, `its compute price costs more than ${MAX_PRIORITY_LAMPORTS} lamports`);
}

/** Base units. @throws RangeError unless the instruction is a TransferChecked with these accounts */
function readTransfer(transfer: ReadInstruction, [from, mint, to, payer]: readonly [string, string, string, string]): bigint {
  const { program, accounts, data } = transfer;
  demand(program === TOKEN_PROGRAM && data.length === 10 && data[0] === 12, "its third instruction is no TransferChecked of SPL Token");
  demand(accounts.length === 4, "its transfer names more than its four accounts");
  demand(accounts[1] === mint, "it moves another token");
  demand(accounts[2] === to, "it pays to another account");
  demand(accounts[3] === payer, "its transfer is not authorized by its payer");
  demand(accounts[0] === from, "it does not pay from its payer's own account");
  demand(data[9] === USDC_DECIMALS, "its transfer counts in other decimals");
  const units = bufferOf(transfer).readBigUInt64LE(1);
  demand(units > 0n, "it moves nothing");
  return units;
}

/** @throws RangeError unless the memo is a short line of ASCII without signers */
function readMemo({ program, accounts, data }: ReadInstruction): string {
  demand(program === MEMO_PROGRAM && accounts.length === 0, "its fourth instruction is no plain memo");
  const text = Buffer.from(data).toString("latin1");
  demand(data.length <= MAX_MEMO_BYTES && /^[\x21-\x7e]+$/.test(text), `its memo is not 1 to ${MAX_MEMO_BYTES} visible characters`);
  return text;
}

const bufferOf = ({ data }: ReadInstruction): Buffer => Buffer.from(data);

/** @throws RangeError */
function demand(condition: unknown, why: string): asserts condition {
  if (!condition) throw new RangeError(why);
}

// Which transactions are accepted as a payment whose fee we pay: exactly one form, without additions or differences.

import { createHash } from "node:crypto";
import { base58 } from "@scure/base";
import {
  createApproveInstruction,
  createBurnInstruction,
  createTransferCheckedInstruction,
  createTransferInstruction,
  getAssociatedTokenAddressSync,
  TOKEN_2022_PROGRAM_ID,
} from "@solana/spl-token";
import {
  AddressLookupTableAccount,
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type PaymentTerms, readPaymentTransaction, withFeePayerSignature } from "./payment-transaction";
import { newAddressOnSolana, paymentInstructions, signPaymentBytes, writtenMemo } from "./testing/payments";

const [payer, sponsor, other] = [Keypair.generate(), Keypair.generate(), Keypair.generate()] as const;
const terms: PaymentTerms = { feePayer: sponsor.publicKey.toBase58(), mint: newAddressOnSolana(), payTo: newAddressOnSolana() };
const payment = { terms, payer, blockhash: newAddressOnSolana(), units: 1_234n, memo: "a".repeat(32) };
const [mint, payTo] = [new PublicKey(terms.mint), new PublicKey(terms.payTo)];
const accountOf = (owner: PublicKey, ofMint = mint) => getAssociatedTokenAddressSync(ofMint, owner, true);
const [from, to] = [accountOf(payer.publicKey), accountOf(payTo)];

const read = (bytes: Uint8Array) => readPaymentTransaction(bytes, terms);
const whyNot = (bytes: Uint8Array): string => {
  const result = read(bytes);
  return result.kind === "refused" ? result.why : "it was taken";
};

/** The valid instructions with one replaced. */
function replaced(at: number, instruction: TransactionInstruction): TransactionInstruction[] {
  const all = paymentInstructions(payment);
  all[at] = instruction;
  return all;
}

test.each([0, "legacy"] as const)("a payment of version %s is read exactly", (version) => {
  const bytes = signPaymentBytes(payment, undefined, { version });
  const result = read(bytes);
  if (result.kind !== "read") throw new Error(result.why);
  const { message, payerSignature, ...transaction } = result.transaction;
  expect(Buffer.from(payerSignature)).toEqual(Buffer.from(VersionedTransaction.deserialize(bytes).signatures[1] ?? []));
  expect(transaction).toEqual({
    messageHash: base58.encode(createHash("sha256").update(message).digest()),
    blockhash: payment.blockhash,
    payer: payer.publicKey.toBase58(),
    from: from.toBase58(),
    to: to.toBase58(),
    units: 1_234n,
    memo: payment.memo,
  });
  expect(Buffer.from(message)).toEqual(Buffer.from(VersionedTransaction.deserialize(bytes).message.serialize()));
});

test("the fee payer's signature is inserted, and web3.js verifies both", () => {
  const bytes = signPaymentBytes(payment);
  const whole = VersionedTransaction.deserialize(bytes);
  whole.sign([sponsor]);
  const result = read(bytes);
  if (result.kind !== "read") throw new Error(result.why);
  expect(withFeePayerSignature(bytes, whole.signatures[0] ?? new Uint8Array())).toEqual(Buffer.from(whole.serialize()));
});

const transferWith = (
  changed: Partial<{ from: PublicKey; mint: PublicKey; to: PublicKey; owner: PublicKey; units: bigint; decimals: number }>,
) => {
  const all = { from, mint, to, owner: payer.publicKey, units: 1_234n, decimals: 6, ...changed };
  return createTransferCheckedInstruction(all.from, all.mint, all.to, all.owner, all.units, all.decimals);
};
const otherMint = new PublicKey(newAddressOnSolana());
const giveSol = SystemProgram.transfer({ fromPubkey: sponsor.publicKey, toPubkey: other.publicKey, lamports: 1_000_000 });
const plainMemo = writtenMemo(payment.memo);
const withKeys = (instruction: TransactionInstruction, ...keys: PublicKey[]) =>
  new TransactionInstruction({
    ...instruction,
    keys: [...instruction.keys, ...keys.map((pubkey) => ({ pubkey, isSigner: pubkey.equals(sponsor.publicKey), isWritable: true }))],
  });

const noPart = "it names accounts that have no part in a payment";
const usesFeePayer = "an instruction uses the fee payer";
const notFour = "it is not compute limit, compute price, transfer and memo";
const [limit, price] = paymentInstructions(payment) as [TransactionInstruction, TransactionInstruction];

/** Transactions that a payer could write, each with the first fault in it. */
const attacks: [name: string, instructions: TransactionInstruction[], why: string][] = [
  ["takes the fee payer's SOL in a fifth instruction", [...paymentInstructions(payment), giveSol], noPart],
  ["takes the fee payer's SOL instead of writing a memo", replaced(3, giveSol), noPart],
  [
    "has the fee payer authorize the transfer",
    replaced(2, transferWith({ from: accountOf(sponsor.publicKey), owner: sponsor.publicKey })),
    "it is not signed by fee payer and payer alone",
  ],
  ["passes the fee payer to the transfer as another signer", replaced(2, withKeys(transferWith({}), sponsor.publicKey)), usesFeePayer],
  ["passes the fee payer to the memo, writable", replaced(3, withKeys(plainMemo, sponsor.publicKey)), usesFeePayer],
  ["passes the fee payer to the compute limit", replaced(0, withKeys(limit, sponsor.publicKey)), usesFeePayer],
  ["pays the fee payer itself", replaced(2, transferWith({ to: sponsor.publicKey })), noPart],
  [
    "moves tokens of another mint",
    replaced(2, transferWith({ mint: otherMint, from: accountOf(payer.publicKey, otherMint), to: accountOf(payTo, otherMint) })),
    "it moves another token",
  ],
  ["names another mint for the same accounts", replaced(2, transferWith({ mint: otherMint })), "it moves another token"],
  ["pays somebody else", replaced(2, transferWith({ to: accountOf(other.publicKey) })), "it pays to another account"],
  ["pays the payee's wallet instead of its account", replaced(2, transferWith({ to: payTo })), "it pays to another account"],
  ["pays back to itself", replaced(2, transferWith({ to: from })), noPart],
  [
    "pays from somebody else's account, as its delegate",
    replaced(2, transferWith({ from: accountOf(other.publicKey) })),
    "it does not pay from its payer's own account",
  ],
  ["moves nothing", replaced(2, transferWith({ units: 0n })), "it moves nothing"],
  ["uses other decimals", replaced(2, transferWith({ decimals: 5 })), "its transfer counts in other decimals"],
  ["transfers unchecked", replaced(2, createTransferInstruction(from, to, payer.publicKey, 1_234n)), noPart],
  ["burns instead", replaced(2, createBurnInstruction(from, mint, payer.publicKey, 1_234n)), noPart],
  ["approves a delegate instead", replaced(2, createApproveInstruction(from, to, payer.publicKey, 1_234n)), noPart],
  [
    "uses Token-2022",
    replaced(2, new TransactionInstruction({ ...transferWith({}), programId: TOKEN_2022_PROGRAM_ID })),
    "its third instruction is no TransferChecked of SPL Token",
  ],
  [
    "adds a byte to the transfer",
    replaced(2, new TransactionInstruction({ ...transferWith({}), data: Buffer.concat([transferWith({}).data, Buffer.of(0)]) })),
    "its third instruction is no TransferChecked of SPL Token",
  ],
  ["has two transfers", [limit, price, transferWith({}), transferWith({}), plainMemo], notFour],
  ["has a second memo", [...paymentInstructions(payment), writtenMemo("more")], notFour],
  ["has no memo", paymentInstructions(payment).slice(0, 3), noPart],
  ["has an empty memo", replaced(3, writtenMemo("")), "its memo is not 1 to 64 visible characters"],
  ["has a memo of two lines", replaced(3, writtenMemo("one\ntwo")), "its memo is not 1 to 64 visible characters"],
  ["has a memo that is too long", replaced(3, writtenMemo("m".repeat(65))), "its memo is not 1 to 64 visible characters"],
  ["has the payer sign its memo", replaced(3, withKeys(plainMemo, payer.publicKey)), "its fourth instruction is no plain memo"],
  ["has another order", [price, limit, transferWith({}), plainMemo], "it does not begin with a compute limit and a compute price"],
  ["begins with the transfer", [transferWith({}), limit, price, plainMemo], "it does not begin with a compute limit and a compute price"],
  [
    "asks for a larger heap",
    replaced(0, ComputeBudgetProgram.requestHeapFrame({ bytes: 32_768 })),
    "it does not begin with a compute limit and a compute price",
  ],
  [
    "offers a huge compute price",
    replaced(1, ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 2n ** 63n })),
    "its compute price costs more than 10000 lamports",
  ],
  [
    "offers a price a lamport too high",
    replaced(1, ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 500_001 })),
    "its compute price costs more than 10000 lamports",
  ],
  [
    "asks for too much computing",
    replaced(0, ComputeBudgetProgram.setComputeUnitLimit({ units: 200_001 })),
    "its compute limit is above 200000",
  ],
  [
    "calls an unknown program as well",
    [...paymentInstructions(payment), new TransactionInstruction({ programId: other.publicKey, keys: [], data: Buffer.alloc(0) })],
    noPart,
  ],
];

test.each(attacks)("a transaction that %s is refused", (_, instructions, why) => {
  expect(whyNot(signPaymentBytes(payment, instructions, { others: [other, sponsor] }))).toBe(why);
});

test("a priority fee of up to ten thousand lamports is accepted", () => {
  const bytes = signPaymentBytes(payment, replaced(1, ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 500_000 })));
  expect(read(bytes).kind).toBe("read");
});

test("another fee payer, an additional signer, and a fee payer that is also the payer are refused", () => {
  expect(whyNot(signPaymentBytes(payment, undefined, { feePayer: other.publicKey.toBase58(), others: [other] }))).toBe(
    "its fee payer is another one",
  );
  expect(whyNot(signPaymentBytes(payment, undefined, { feePayer: payer.publicKey.toBase58() }))).toBe(
    "it is not signed by fee payer and payer alone",
  );
  const third = replaced(
    3,
    new TransactionInstruction({ ...plainMemo, keys: [{ pubkey: other.publicKey, isSigner: true, isWritable: false }] }),
  );
  expect(whyNot(signPaymentBytes(payment, third, { others: [other] }))).toBe("it is not signed by fee payer and payer alone");
});

test("address lookup tables are refused, whatever they contain", () => {
  const state = { deactivationSlot: 2n ** 64n - 1n, lastExtendedSlot: 0, lastExtendedSlotStartIndex: 0, addresses: [mint, to, from] };
  const table = new AddressLookupTableAccount({ key: other.publicKey, state });
  const message = new TransactionMessage({
    payerKey: sponsor.publicKey,
    recentBlockhash: payment.blockhash,
    instructions: paymentInstructions(payment),
  }).compileToV0Message([table]);
  const transaction = new VersionedTransaction(message);
  transaction.sign([payer]);
  // The instructions reference accounts in the table, which are not in the message.
  expect(whyNot(transaction.serialize())).toBe("an instruction names an account that is not there");
});

test("the payer's signature must be of this transaction and by this payer", () => {
  const bytes = signPaymentBytes(payment);
  const forgeries = {
    empty: Buffer.alloc(64),
    "of another payment": signPaymentBytes({ ...payment, units: 1n }).subarray(65, 129),
    "of the fee payer": (() => {
      const whole = VersionedTransaction.deserialize(bytes);
      whole.sign([sponsor]);
      return Buffer.from(whole.signatures[0] ?? []);
    })(),
    "with a changed bit": Buffer.from(bytes.subarray(65, 129)).fill((bytes[70] ?? 0) ^ 1, 5, 6),
  };
  for (const [name, signature] of Object.entries(forgeries)) {
    const forged = Buffer.concat([bytes.subarray(0, 65), signature, bytes.subarray(129)]);
    expect(read(forged), name).toEqual({ kind: "refused", why: "the payer's signature is not of this transaction", isForged: true });
  }
});

test("the fee payer's signature slot does not change the payment, whatever it holds", () => {
  const bytes = signPaymentBytes(payment);
  const filled = withFeePayerSignature(bytes, Buffer.alloc(64, 7));
  const [one, same] = [read(bytes), read(filled)];
  if (one.kind !== "read" || same.kind !== "read") throw new Error("both are payments");
  expect(same.transaction.messageHash).toBe(one.transaction.messageHash);
});

test("no changed or random bytes make another payment: each is refused, or leaves the message unchanged", () => {
  const bytes = signPaymentBytes(payment);
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ change;
      // Bytes 1 to 64 are the fee payer's signature.
      expect(read(changed).kind, `byte ${at}`).toBe(at >= 1 && at <= 64 ? "read" : "refused");
    }),
    { numRuns: 200 },
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 1_300 }), (random) => {
      expect(read(random).kind).toBe("refused");
    }),
    { numRuns: 100 },
  );
  for (let length = 0; length < bytes.length; length += 7) expect(read(bytes.subarray(0, length)).kind).toBe("refused");
  expect(whyNot(Buffer.concat([bytes, Buffer.of(0)]))).toBe("more bytes follow");
});

// Guard instructions that a wallet adds to a payment to protect its owner: accepted as long as they only read, whichever accounts they
// read.

import { createTransferCheckedInstruction, getAssociatedTokenAddressSync } from "@solana/spl-token";
import { Keypair, MessageV0, PublicKey, SystemProgram, TransactionInstruction, VersionedTransaction } from "@solana/web3.js";
import { expect, test } from "vitest";
import { type PaymentTerms, readPaymentTransaction } from "./payment-transaction";
import { newAddressOnSolana, paymentInstructions, signPaymentBytes } from "./testing/payments";

const [payer, sponsor, other] = [Keypair.generate(), Keypair.generate(), Keypair.generate()] as const;
const terms: PaymentTerms = { feePayer: sponsor.publicKey.toBase58(), mint: newAddressOnSolana(), payTo: newAddressOnSolana() };
const payment = { terms, payer, blockhash: newAddressOnSolana(), units: 1_234n, memo: "a".repeat(32) };
const mint = new PublicKey(terms.mint);
const [from, to] = [payer.publicKey, new PublicKey(terms.payTo)].map((owner) => getAssociatedTokenAddressSync(mint, owner, true)) as [
  PublicKey,
  PublicKey,
];
type Four = [TransactionInstruction, TransactionInstruction, TransactionInstruction, TransactionInstruction];
const bare = paymentInstructions(payment) as Four;
const [limit, price, transfer, memo] = bare;

const read = (instructions: TransactionInstruction[], others: Keypair[] = []) =>
  readPaymentTransaction(signPaymentBytes(payment, instructions, { others }), terms);
const whyNot = (instructions: TransactionInstruction[], others?: Keypair[]): string => {
  const result = read(instructions, others);
  return result.kind === "refused" ? result.why : "it was taken";
};

const lighthouse = new PublicKey("L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95");
/** A guard instruction: the number of its assertion, and the accounts it reads, none of them writable. */
const guard = (kind: number, ...looksAt: PublicKey[]) =>
  new TransactionInstruction({
    programId: lighthouse,
    keys: looksAt.map((pubkey) => ({ pubkey, isSigner: pubkey.equals(sponsor.publicKey), isWritable: false })),
    data: Buffer.of(kind, 4, 0, 0),
  });
const clock = new PublicKey("SysvarC1ock11111111111111111111111111111111");
const oneGuard = guard(9, from);

test.each<[wallet: string, instructions: TransactionInstruction[]]>([
  ["Solflare, two guards at the end", [...bare, guard(9, from), guard(5, payer.publicKey)]],
  [
    "Phantom, three before the transfer and one at the end, reading the fee payer",
    [limit, price, guard(5, sponsor.publicKey), guard(10, from, to), guard(5, payer.publicKey), transfer, memo, guard(15, clock)],
  ],
  ["one that reads accounts of others", [...bare, guard(2, from), guard(3, other.publicKey, new PublicKey(newAddressOnSolana()))]],
  ["one with the maximum number of guards", [...Array.from({ length: 6 }, () => oneGuard), ...bare]],
])("a payment with a wallet's guard instructions is read: %s", (_, instructions) => {
  const [plain, guarded] = [read(bare), read(instructions)];
  if (plain.kind !== "read" || guarded.kind !== "read")
    throw new Error(guarded.kind === "refused" ? guarded.why : "the bare one is not read");
  const { message, messageHash, payerSignature, ...transaction } = guarded.transaction;
  expect(plain.transaction).toMatchObject(transaction);
  expect(messageHash).not.toBe(plain.transaction.messageHash);
});

const noPart = "it names accounts that have no part in a payment";
const usesFeePayer = "an instruction uses the fee payer";
const notFour = "it is not compute limit, compute price, transfer and memo";
const giveSol = SystemProgram.transfer({ fromPubkey: sponsor.publicKey, toPubkey: other.publicKey, lamports: 1_000_000 });
const transferBack = createTransferCheckedInstruction(to, mint, from, payer.publicKey, 1_234n, 6);
/** An instruction with one more account, writable. */
const withKeys = (instruction: TransactionInstruction, pubkey: PublicKey) =>
  new TransactionInstruction({
    ...instruction,
    keys: [...instruction.keys, { pubkey, isSigner: pubkey.equals(sponsor.publicKey), isWritable: true }],
  });
const doesMore = "one of its guards does more than look at an account";
const stranger = new TransactionInstruction({ programId: other.publicKey, keys: [], data: Buffer.of(9) });

test.each<[name: string, instructions: TransactionInstruction[], why: string]>([
  ["writes memory at the fee payer's expense", [...bare, guard(0, sponsor.publicKey)], doesMore],
  ["writes memory after a read-only guard", [...bare, oneGuard, guard(0, sponsor.publicKey)], doesMore],
  ["closes memory", [...bare, guard(1, payer.publicKey)], doesMore],
  ["calls another program through a guard", [...bare, guard(16, other.publicKey)], doesMore],
  ["has a guard of an unknown kind", [...bare, guard(18, from)], doesMore],
  ["has a guard without data", [...bare, new TransactionInstruction({ programId: lighthouse, keys: [], data: Buffer.alloc(0) })], doesMore],
  ["has more guards than any wallet adds", [...bare, ...Array.from({ length: 7 }, () => oneGuard)], "its wallet added more than 6 guards"],
  ["makes a guard's account writable", [...bare, withKeys(oneGuard, other.publicKey)], noPart],
  ["calls a foreign program beside a guard", [...bare, oneGuard, stranger], noPart],
  ["calls a foreign program that a guard reads", [...bare, guard(9, other.publicKey), stranger], notFour],
  ["sends SOL beside a guard that reads its receiver", [limit, price, transfer, giveSol, guard(5, other.publicKey)], noPart],
  ["moves the fee payer's SOL where a guard reads", [...bare, giveSol, guard(5, other.publicKey, SystemProgram.programId)], noPart],
  ["has guards but no memo", [limit, price, transfer, oneGuard], noPart],
  ["has a second transfer among guards", [limit, price, transfer, oneGuard, transferBack, memo], notFour],
  ["passes the fee payer to the memo, among guards", [limit, price, transfer, oneGuard, withKeys(memo, sponsor.publicKey)], usesFeePayer],
])("a transaction that %s is refused", (_, instructions, why) => {
  expect(whyNot(instructions, [other, sponsor])).toBe(why);
});

test("a guard that needs another signature is refused", () => {
  const signed = new TransactionInstruction({ ...oneGuard, keys: [{ pubkey: other.publicKey, isSigner: true, isWritable: false }] });
  expect(whyNot([...bare, signed], [other])).toBe("it is not signed by fee payer and payer alone");
});

test("a message that makes a guard's account writable instead of the payee's is refused", () => {
  const bytes = signPaymentBytes(payment, [...bare, guard(9, other.publicKey)]);
  const message = VersionedTransaction.deserialize(bytes).message as MessageV0;
  const [seen, paid] = [other.publicKey, to].map((key) => message.staticAccountKeys.findIndex((one) => one.equals(key))) as [
    number,
    number,
  ];
  const swap = (index: number) => (index === seen ? paid : index === paid ? seen : index);
  const swapped = new MessageV0({
    ...message,
    staticAccountKeys: message.staticAccountKeys.map((_, index) => message.staticAccountKeys[swap(index)] as PublicKey),
    compiledInstructions: message.compiledInstructions.map((one) => ({
      ...one,
      programIdIndex: swap(one.programIdIndex),
      accountKeyIndexes: one.accountKeyIndexes.map(swap),
    })),
  });
  const transaction = new VersionedTransaction(swapped);
  transaction.sign([payer]);
  expect(readPaymentTransaction(transaction.serialize(), terms)).toMatchObject({
    kind: "refused",
    why: "it writes an account that has no part in a payment",
  });
});

// The sponsor signs only payments to the treasury that their payers signed, whoever the caller is. And the creation of the treasury's
// account, which receives them.

import { base58 } from "@scure/base";
import { createTransferCheckedInstruction, getAssociatedTokenAddressSync } from "@solana/spl-token";
import {
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { expect, test } from "vitest";
import { createTokenAccount, payForComputing } from "@/lib/chains/solana/instructions";
import { newAddressOnSolana, paymentInstructions, signPaymentBytes } from "@/lib/chains/solana/testing/payments";
import { openSigner } from "./seed-signer";
import { abandonWords, hardhatWords } from "./testing/seeds";

const signer = await openSigner(hardhatWords, "live");
const { sponsor, treasury, usdcMint: mint } = signer;
const terms = { feePayer: sponsor.address, mint, payTo: treasury.solana };
const payer = Keypair.generate();
const payment = { terms, payer, blockhash: newAddressOnSolana(), units: 10_000n, memo: "m".repeat(32) };
const feePayer = new PublicKey(sponsor.address);

test("a payment is signed as fee payer only, and web3.js verifies both signatures", async () => {
  const bytes = signPaymentBytes(payment);
  const signed = await sponsor.signPayment(bytes);
  const { message, signatures } = VersionedTransaction.deserialize(signed.bytes);
  const verified = await Promise.all(
    signatures.map(async (signature, at) => {
      const x = Buffer.from(message.staticAccountKeys[at]?.toBytes() ?? []).toString("base64url");
      const key = await crypto.subtle.importKey("jwk", { kty: "OKP", crv: "Ed25519", x }, "Ed25519", false, ["verify"]);
      return crypto.subtle.verify("Ed25519", key, Uint8Array.from(signature), Uint8Array.from(message.serialize()));
    }),
  );
  expect(verified).toEqual([true, true]);
  expect(base58.encode(signatures[0] ?? new Uint8Array())).toBe(signed.signature);
  expect(signed.bytes.subarray(65)).toEqual(bytes.subarray(65));
  expect(await sponsor.signPayment(signed.bytes), "the same again, so that the chain can be asked for it").toEqual(signed);
});

const usdcOf = (owner: string) => getAssociatedTokenAddressSync(new PublicKey(mint), new PublicKey(owner), true);
const giveSol = SystemProgram.transfer({ fromPubkey: feePayer, toPubkey: payer.publicKey, lamports: 1 });

/** Unsigned or payer-signed transactions that an attacker with the database, or a process without the seed, could pass in. */
const others: [string, () => Uint8Array][] = [
  ["no transaction", () => Buffer.from("sign this text")],
  ["a message without its signatures", () => VersionedTransaction.deserialize(signPaymentBytes(payment)).message.serialize()],
  ["a payment to somebody else", () => signPaymentBytes({ ...payment, terms: { ...terms, payTo: newAddressOnSolana() } })],
  ["a payment in another token", () => signPaymentBytes({ ...payment, terms: { ...terms, mint: newAddressOnSolana() } })],
  ["a payment that takes its SOL", () => signPaymentBytes(payment, [...paymentInstructions(payment), giveSol])],
  ["a transfer of its own SOL", () => signPaymentBytes(payment, [giveSol])],
  [
    "a payment whose fee drains its SOL",
    () =>
      signPaymentBytes(
        payment,
        paymentInstructions(payment).with(1, ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 5_000_000_000n })),
      ),
  ],
  [
    "a payment from the treasury",
    () => {
      const [from, to] = [usdcOf(treasury.solana), usdcOf(payer.publicKey.toBase58())];
      const transfer = createTransferCheckedInstruction(from, new PublicKey(mint), to, new PublicKey(treasury.solana), 1n, 6);
      return signPaymentBytes(payment, paymentInstructions(payment).with(2, transfer));
    },
  ],
  [
    "a payment that its payer did not sign",
    () => {
      const bytes = signPaymentBytes(payment);
      return Buffer.concat([bytes.subarray(0, 65), Buffer.alloc(64), bytes.subarray(129)]);
    },
  ],
  ["a payment whose fee another key pays", () => signPaymentBytes(payment, undefined, { feePayer: treasury.solana })],
  [
    "the creation of an account at its expense",
    () => {
      const made = { payer: sponsor.address, tokenAccount: usdcOf(treasury.solana).toBase58(), owner: treasury.solana, mint };
      const instructions = [...payForComputing({ units: 60_000, microLamports: 1 }), createTokenAccount(made)].map(
        ({ program, accounts, data }) => ({
          programId: new PublicKey(program),
          keys: accounts.map(({ key, isSigner = false, isWritable = false }) => ({ pubkey: new PublicKey(key), isSigner, isWritable })),
          data: Buffer.from(data),
        }),
      );
      const message = new TransactionMessage({ payerKey: feePayer, recentBlockhash: payment.blockhash, instructions });
      return new VersionedTransaction(message.compileToV0Message()).serialize();
    },
  ],
];

test.each(others)("the sponsor does not sign %s", async (_, bytes) => {
  await expect(sponsor.signPayment(bytes())).rejects.toThrow("assertion failed: the sponsor signs payments to the treasury alone");
});

test("the sponsor of another seed signs none of this seed's payments", async () => {
  const { sponsor: other } = await openSigner(abandonWords, "live");
  await expect(other.signPayment(signPaymentBytes(payment))).rejects.toThrow("its fee payer is another one");
});

test("the treasury creates its account itself, and nothing moves", async () => {
  const { bytes, signature } = await signer.signTreasuryAccountOnSolana(payment.blockhash);
  const transaction = Transaction.from(bytes);
  expect(transaction.verifySignatures()).toBe(true);
  expect(transaction.signatures.map(({ publicKey }) => publicKey.toBase58())).toEqual([treasury.solana]);
  expect(base58.encode(bytes.subarray(1, 65))).toBe(signature);
  const [, , made, ...more] = transaction.instructions;
  expect(more).toEqual([]);
  expect(made?.data).toEqual(Buffer.of(1));
  expect(made?.keys.slice(0, 4).map(({ pubkey }) => pubkey.toBase58())).toEqual([
    ...[treasury.solana, usdcOf(treasury.solana).toBase58(), treasury.solana, mint],
  ]);
});

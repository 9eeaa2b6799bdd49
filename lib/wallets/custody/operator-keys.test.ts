// The operator's own keys: other libraries derive the same keys from the same words, live mode pins them, the relayer signs only its calls,
// and sweeps go to the treasury.

import { createHmac, pbkdf2Sync } from "node:crypto";
import { base58 } from "@scure/base";
import {
  ASSOCIATED_TOKEN_PROGRAM_ID,
  decodeTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
  TOKEN_PROGRAM_ID,
} from "@solana/spl-token";
import { ComputeBudgetProgram, Keypair, PublicKey, Transaction } from "@solana/web3.js";
import { type Hex, keccak256, recoverAddress, recoverTypedDataAddress } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { expect, test } from "vitest";
import {
  deterministicDeployer,
  encodeSettle,
  type SettlementTerms,
  settlementAddress,
  settlementDeployment,
} from "@/lib/chains/evm/settlement";
import { transactionSigningHash } from "@/lib/chains/evm/transactions";
import { authorizationTypedData, encodeApproval, encodeAuthorizedTransfer, encodeTransfer, usdcOnBase } from "@/lib/chains/evm/usdc";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { RESERVED_INDEX } from "./addresses";
import { findCustody } from "./custody";
import { auditSeed } from "./seed-audit";
import { openSigner } from "./seed-signer";
import type { Signer } from "./signer";
import { startCustody } from "./start-custody";
import { abandonWords, hardhatWords, withSettings } from "./testing/seeds";

const database = await openTestDatabase();

/** An independent SLIP-0010 implementation from the specification: all steps hardened. */
function solanaKeypair(words: string, path: readonly number[]): Keypair {
  const hash = (key: Buffer | string, text: Buffer) => createHmac("sha512", key).update(text).digest();
  let node = hash("ed25519 seed", pbkdf2Sync(words, "mnemonic", 2048, 64, "sha512"));
  for (const step of path) {
    const index = Buffer.alloc(4);
    index.writeUInt32BE(step + 2 ** 31);
    node = hash(node.subarray(32), Buffer.concat([Buffer.of(0), node.subarray(0, 32), index]));
  }
  return Keypair.fromSeed(node.subarray(0, 32));
}

test.each([hardhatWords, abandonWords])("viem and web3.js derive the same treasury, relayer and sponsor: %s", async (words) => {
  const { treasury, relayer, sponsor } = await openSigner(words, "live");
  expect(treasury).toEqual({
    base: mnemonicToAccount(words, { path: "m/44'/60'/1'/0/0" }).address,
    solana: solanaKeypair(words, [44, 501, 2_147_483_646, 0]).publicKey.toBase58(),
  });
  expect(relayer.address).toBe(mnemonicToAccount(words, { path: "m/44'/60'/2'/0/0" }).address);
  const rotated = await openSigner(words, "live", { relayerIndex: 7 });
  expect(rotated.relayer.address).toBe(mnemonicToAccount(words, { path: "m/44'/60'/2'/0/7" }).address);
  expect([rotated.treasury, rotated.sponsor.address, rotated.xpub]).toEqual([
    treasury,
    sponsor.address,
    (await openSigner(words, "live")).xpub,
  ]);
  expect(sponsor.address).toBe(solanaKeypair(words, [44, 501, 2_147_483_645, 0]).publicKey.toBase58());
});

test("the test's own derivation gives the well-known Solana address", () => {
  const keypair = solanaKeypair(abandonWords, [44, 501, 0, 0]);
  expect(keypair.publicKey.toBase58()).toBe("HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk");
});

const own = await openSigner(hardhatWords, "sandbox");
const stranger = `0x${"1".repeat(40)}` as const;

/** A transfer that its owner authorized. */
const transfer = (from: Hex, to: Hex): Hex =>
  encodeAuthorizedTransfer({ from, to, value: 1n, validAfter: 0n, validBefore: 2n, nonce: keccak256("0x02") }, `0x${"12".repeat(65)}`);

const call = {
  chainId: 31_337,
  nonce: 7,
  to: usdcOnBase,
  data: transfer(stranger, own.treasury.base),
  gas: 100_000n,
  maxFeePerGas: 10n,
  maxPriorityFeePerGas: 1n,
} as const;

test("the relayer signs USDC's transfers to the treasury and from it, with its own key, a rotated one too", async () => {
  for (const relayerIndex of [0, 1]) {
    const { relayer } = await openSigner(hardhatWords, "sandbox", { relayerIndex });
    for (const data of [call.data, transfer(own.treasury.base, stranger)]) {
      const signature = await relayer.signTransaction({ ...call, data });
      expect(await recoverAddress({ hash: transactionSigningHash({ ...call, data }), signature })).toBe(relayer.address);
    }
  }
});

test.each([
  ["to anybody else", { to: stranger }],
  ["of somebody's USDC to somebody else", { data: transfer(stranger, own.relayer.address) }],
  ["of the relayer's own USDC", { data: encodeTransfer(own.treasury.base, 1n) }],
  ["that lets somebody take the relayer's USDC", { data: encodeApproval(stranger, 1n) }],
  ["with more behind a transfer", { data: `${call.data}00` as Hex }],
  ["of USDC without a call", { data: "0x" as Hex }],
  ["to the contract factory with anything but its own contract", { to: deterministicDeployer }],
  ["that sends its ETH", { value: 1n }],
  ["for another chain", { chainId: 8_453 }],
])("the relayer signs no transaction %s", async (_, changed) => {
  const { relayer } = await openSigner(hardhatWords, "sandbox");
  await expect(async () => relayer.signTransaction({ ...call, ...changed })).rejects.toThrow("assertion failed: the relayer");
});

test("a transaction whose fee could cost more than 0.01 ETH waits", async () => {
  const dear = { ...call, gas: 1_000_000n, maxFeePerGas: 10_000_000_001n };
  await expect(own.relayer.signTransaction(dear)).rejects.toMatchObject({
    name: "SignerUnavailable",
    message: expect.stringContaining("fees are too high"),
  });
  await expect(own.relayer.signTransaction({ ...dear, maxFeePerGas: 10_000_000_000n })).resolves.toBeDefined();
});

const settlementOf = ({ treasury, relayer }: Signer, changed: Partial<SettlementTerms> = {}): SettlementTerms => {
  return { serviceName: "PennyPrompt", usdc: usdcOnBase, treasury: treasury.base, relayer: relayer.address, ...changed };
};
const proof = { from: `0x${"1".repeat(40)}`, requestNumber: 7n, cents: 5n, timestampMs: 1_795_000_000_000n } as const;
const settle = encodeSettle(proof, "0x1234");

test("the relayer signs settlements at its own settlement contract, and that contract's deployment", async () => {
  const signer = await openSigner(hardhatWords, "sandbox");
  const terms = settlementOf(signer);
  for (const wanted of [{ to: settlementAddress(terms), data: settle }, settlementDeployment(terms)]) {
    const signature = await signer.relayer.signTransaction({ ...call, ...wanted });
    expect(await recoverAddress({ hash: transactionSigningHash({ ...call, ...wanted }), signature })).toBe(signer.relayer.address);
  }
});

test("the relayer signs nothing else there: no other call, no ETH, no contract with other terms", async () => {
  const signer = await openSigner(hardhatWords, "sandbox");
  const terms = settlementOf(signer);
  const other = (await openSigner(abandonWords, "sandbox")).treasury.base;
  const foreign = [{ serviceName: "Another" }, { treasury: other }, { relayer: other }, { usdc: other }].map((one) =>
    settlementOf(signer, one),
  );
  const deployment = settlementDeployment(terms);
  const refused = [
    { to: settlementAddress(terms), data: "0x" },
    { to: settlementAddress(terms), data: "0xef55bec6" },
    { to: settlementAddress(terms), data: settle, value: 1n },
    { ...deployment, value: 1n },
    { ...deployment, data: `${deployment.data}00` },
    { ...deployment, data: `0x${"1".repeat(64)}${deployment.data.slice(66)}` },
    ...foreign.flatMap((one) => [{ to: settlementAddress(one), data: settle }, settlementDeployment(one)]),
  ] as const;
  for (const changed of refused) {
    await expect(async () => signer.relayer.signTransaction({ ...call, ...changed })).rejects.toThrow(
      "assertion failed: the relayer calls USDC",
    );
  }
});

const terms = { value: 5_000_000n, validAfter: 0n, validBefore: 1_800_000_000n, nonce: keccak256("0x01") };

test("a sweep on Base is the custodial address's own authorization, to the treasury", async () => {
  const signer = await openSigner(hardhatWords, "sandbox");
  const { authorization, signature } = await signer.signSweepOnBase({ index: 1, ...terms });
  const from = mnemonicToAccount(hardhatWords, { addressIndex: 1 }).address;
  expect(authorization).toEqual({ from, to: signer.treasury.base, ...terms });
  expect(await recoverTypedDataAddress({ ...authorizationTypedData(authorization, 31_337), signature })).toBe(from);
});

test("a sweep on Solana moves its owners' USDC to the treasury's own account, and nothing else", async () => {
  const signer = await openSigner(abandonWords, "sandbox");
  const indexes = [0, 1, 2, 3, 4, 5];
  const { bytes, signature } = await signer.signSweepOnSolana({
    owners: indexes.map((index) => ({ index, units: BigInt(index) + 7n })),
    blockhash: signer.usdcMint,
  });
  const transaction = Transaction.from(bytes);
  expect(transaction.verifySignatures()).toBe(true);
  expect(transaction.feePayer?.toBase58()).toBe(signer.treasury.solana);
  expect(base58.encode(bytes.subarray(1, 65))).toBe(signature);
  const [mint, treasury] = [new PublicKey(signer.usdcMint), new PublicKey(signer.treasury.solana)];
  const to = getAssociatedTokenAddressSync(mint, treasury);
  const transfers = transaction.instructions
    .filter(({ programId }) => programId.equals(TOKEN_PROGRAM_ID))
    .map((one) => decodeTransferCheckedInstruction(one));
  expect(transfers.map(({ keys, data }) => [keys.source.pubkey.toBase58(), keys.destination.pubkey, data.amount])).toEqual(
    await Promise.all(indexes.map(async (index) => [(await signer.deriveAddresses(index)).solanaTokenAccount, to, BigInt(index) + 7n])),
  );
  const others = transaction.instructions.filter(({ programId }) => !programId.equals(TOKEN_PROGRAM_ID));
  expect(others.map(({ programId }) => programId)).toEqual([
    ...[ComputeBudgetProgram.programId, ComputeBudgetProgram.programId],
    ASSOCIATED_TOKEN_PROGRAM_ID,
  ]);
});

test("no sweep of the operator's own keys, nor of more owners than fit into a transaction", async () => {
  const signer = await openSigner(hardhatWords, "sandbox");
  const sweepOnSolana = (...indexes: number[]) =>
    signer.signSweepOnSolana({ owners: indexes.map((index) => ({ index, units: 1n })), blockhash: signer.usdcMint });
  for (const index of [RESERVED_INDEX, 0x7fff_fffe, 0x7fff_ffff]) {
    await expect(signer.signSweepOnBase({ index, ...terms }), String(index)).rejects.toThrow("derivation index");
    await expect(sweepOnSolana(index), String(index)).rejects.toThrow("a sweep is of custodial addresses");
  }
  await expect(signer.signSweepOnBase({ index: -1, ...terms })).rejects.toThrow("another form");
  await expect(sweepOnSolana(-1)).rejects.toThrow("another form");
  await expect(sweepOnSolana(0, 1, 2, 3, 4, 5, 6)).rejects.toThrow("one to 6 owners");
  await expect(sweepOnSolana()).rejects.toThrow("one to 6 owners");
});

test("live mode refuses a treasury that is not the seed's, says what to set, and stores no seed until it matches", async () => {
  const signer = await openSigner(hardhatWords, "live");
  const right = { TREASURY_BASE_ADDRESS: signer.treasury.base, TREASURY_SOLANA_ADDRESS: signer.treasury.solana };
  const other = (await openSigner(abandonWords, "live")).treasury;
  const start = (changed: Record<string, string>) => {
    withSettings({
      MODE: "live",
      ROLES: "jobs",
      KEY_PEPPER: "p".repeat(32),
      SESSION_SECRET: "s".repeat(32),
      PUBLIC_URL: "https://pennyprompt.example",
      DATABASE_URL: database.url,
      CUSTODY_SEED_FILE: "seed",
      CUSTODY_PASSPHRASE: "p".repeat(16),
      SIGNER_STATE_DIR: "state",
      OPERATOR_ADDRESS: `0x${"2".repeat(40)}`,
      ...right,
      ...changed,
    });
    return startCustody(signer);
  };
  const wrongs: Record<string, string>[] = [{ TREASURY_BASE_ADDRESS: other.base }, { TREASURY_SOLANA_ADDRESS: other.solana }];
  for (const wrong of wrongs) {
    const refused = await start(wrong).catch((error: Error) => error.message);
    expect(refused).toContain(`TREASURY_BASE_ADDRESS=${signer.treasury.base}\n`);
    expect(refused).toContain(`TREASURY_SOLANA_ADDRESS=${signer.treasury.solana}`);
    expect(await findCustody()).toBeNull();
  }
  await start({ TREASURY_BASE_ADDRESS: signer.treasury.base.toLowerCase() });
  const known = { treasury: signer.treasury, relayer: { base: signer.relayer.address }, sponsor: { solana: signer.sponsor.address } };
  expect(await findCustody()).toMatchObject(known);

  // A process without the seed compares the database's value, which may be forged.
  await database.pool.query("UPDATE custody SET treasury_base = $1", [other.base]);
  withSettings({ ROLES: "web", CUSTODY_SEED_FILE: "", CUSTODY_PASSPHRASE: "" });
  await expect(startCustody(null)).rejects.toThrow(/TREASURY_BASE_ADDRESS and TREASURY_SOLANA_ADDRESS do not match the seed/);
});

test("a rotated relayer of the same seed is recorded at the start, on a database that another seed cannot take", async () => {
  withSettings({});
  await database.pool.query("DELETE FROM custody");
  const [first, second] = [await openSigner(hardhatWords, "sandbox"), await openSigner(hardhatWords, "sandbox", { relayerIndex: 1 })];
  await startCustody(first);
  expect((await findCustody())?.relayer.base).toBe(first.relayer.address);
  expect((await auditSeed(second)).kind).toBe("match");
  await startCustody(second);
  expect((await findCustody())?.relayer.base).toBe(second.relayer.address);
  await expect(startCustody(await openSigner(abandonWords, "sandbox", { relayerIndex: 1 }))).rejects.toThrow(/This database uses the seed/);
  expect((await findCustody())?.relayer.base).toBe(second.relayer.address);
  await startCustody(first);
  const { rows } = await database.pool.query("SELECT before, after FROM audit_entry WHERE kind = 'relayer.changed' ORDER BY place");
  const [one, other] = [{ relayer: first.relayer.address }, { relayer: second.relayer.address }];
  expect(rows).toEqual([
    { before: one, after: other },
    { before: other, after: one },
  ]);
});

// A real Solana chain that claims to be mainnet, with Circle's USDC on it, and payers with x402's own, unmodified client, for the contract
// suite. It stops with the test file, and every payment is checked against the books.

import { createPrivateKey, sign } from "node:crypto";
import { createTransferInstruction } from "@solana/spl-token";
import { Connection, Keypair, PublicKey, Transaction } from "@solana/web3.js";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import type { ClientSvmSigner } from "@x402/svm";
import { ExactSvmScheme } from "@x402/svm/exact/client";
import { afterAll, expect, vi } from "vitest";
import type { AccountId } from "@/lib/base/ids";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { type Fault, startFaultyNode } from "@/lib/chains/evm/testing/faulty-node";
import { setSandboxSolanaNodes } from "@/lib/chains/solana/node-urls";
import { MAINNET_GENESIS_HASH, solanaNodes } from "@/lib/chains/solana/nodes";
import type { PaymentTerms } from "@/lib/chains/solana/payment-transaction";
import { readTokenAccounts } from "@/lib/chains/solana/token-accounts";
import { deriveTokenAccount } from "@/lib/chains/solana/token-address";
import { USDC_MINT } from "@/lib/chains/solana/usdc";
import { checkPayments } from "@/lib/payments/claims/check";
import { creditAccountOf } from "@/lib/payments/claims/credits";
import { solanaNetwork } from "@/lib/payments/claims/networks";
import { settlePayments } from "@/lib/payments/followup/run";
import type { PaymentRequired, PaymentRequirements } from "@/lib/payments/x402/wire";
import { setRelayer } from "@/lib/relay/relayer";
import { setSponsor } from "@/lib/relay/sponsor";
import { startTestSolanaChain } from "@/lib/sandbox/solana-chain/testing";
import { openSigner } from "@/lib/wallets/custody/seed-signer";
import { setSigner } from "@/lib/wallets/custody/signer";
import { startCustody } from "@/lib/wallets/custody/start-custody";
import { hardhatWords } from "@/lib/wallets/custody/testing/seeds";
import { openTreasuryAccount } from "@/lib/wallets/custody/treasury-account";
import { type Answer, ask } from "./client";
import type { Service } from "./service";
import { encode, requiredIn, X402_PATH } from "./x402";

/** For `openService`: all payers of a file share one address. */
export const x402SolanaSettings = { RATE_LIMIT_PER_MINUTE: "1000000", X402_CONCURRENCY_LIMIT: "1000" };

/** The stock client's payload; tests may change its fields before sending it. */
export interface SolanaPayload {
  x402Version: number;
  resource?: { url: string };
  accepted: PaymentRequirements;
  payload: { transaction: string };
}

export interface SolanaPayer {
  wallet: Keypair;
  address: string;
  client: x402Client;
  /** The ledger account of the address. */
  credit: AccountId;
}

/** A signer like any wallet's for the stock client. */
function signerOf(wallet: Keypair): ClientSvmSigner {
  const address = wallet.publicKey.toBase58() as ClientSvmSigner["address"];
  const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), wallet.secretKey.subarray(0, 32)]);
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const signTransactions = async (transactions: readonly { messageBytes: unknown }[]) =>
    transactions.map(({ messageBytes }) => ({ [address]: new Uint8Array(sign(null, messageBytes as Uint8Array, key)) }));
  return { address, signTransactions } as never;
}

type Decide = (call: { method: string; params: unknown[] }) => Fault | null;

/** A chain that claims to be mainnet, our node in front of it, and one of the payers'. */
async function startChain(slotMs: number) {
  const chain = await startTestSolanaChain({ slotMs });
  let fault: Decide = () => null;
  const node = await startFaultyNode(chain.url, (call) => {
    if (call.method === "getGenesisHash") return { rewrite: () => MAINNET_GENESIS_HASH };
    return fault(call);
  });
  const payersNode = await startFaultyNode(chain.url, () => null);
  setSandboxSolanaNodes([node.url], MAINNET_GENESIS_HASH);
  /** Sets our node's faults; null removes them. */
  const breakNodes = (decide: Decide | null) => {
    fault = decide ?? (() => null);
  };
  const stop = async () => {
    for (const name of ["sandbox Solana nodes", "Solana nodes"]) forgetSingleton(name);
    await Promise.all([node.close(), payersNode.close()]);
    await chain.remove();
  };
  return { chain, payersNode, breakNodes, stop };
}

type Started = Awaited<ReturnType<typeof startChain>>;

async function unitsOf(owner: string): Promise<bigint> {
  const { value } = await readTokenAccounts(solanaNodes(), [deriveTokenAccount(owner, USDC_MINT)], "confirmed");
  return value[0]?.units ?? 0n;
}

/** The seed's keys, funded with SOL, and the treasury with its account. */
async function openCustody({ chain }: Started): Promise<PaymentTerms> {
  // Live mode: its token is Circle's, which the stock client knows.
  const signer = await openSigner(hardhatWords, "live");
  await startCustody(signer);
  const terms = { feePayer: signer.sponsor.address, mint: USDC_MINT, payTo: signer.treasury.solana };
  for (const payer of [terms.feePayer, terms.payTo]) await chain.airdrop(payer, 1_000_000_000n);
  const hasAccount = async () => {
    await openTreasuryAccount();
    const { value } = await readTokenAccounts(solanaNodes(), [deriveTokenAccount(terms.payTo, USDC_MINT)], "confirmed");
    return value[0] !== null;
  };
  await vi.waitUntil(hasAccount, { timeout: 30_000, interval: 50 });
  return terms;
}

function payersOn({ chain, payersNode }: Started, connection: Connection) {
  const payerOf = (wallet: Keypair): SolanaPayer => ({
    wallet,
    address: wallet.publicKey.toBase58(),
    client: new x402Client().register("solana:*", new ExactSvmScheme(signerOf(wallet), { rpcUrl: payersNode.url })),
    credit: creditAccountOf(solanaNetwork(), wallet.publicKey.toBase58()),
  });
  /** A wallet without SOL. */
  const newPayer = async (units = 10_000_000n): Promise<SolanaPayer> => {
    const payer = payerOf(Keypair.generate());
    await chain.faucet(payer.address, units);
    await vi.waitUntil(async () => (await unitsOf(payer.address)) === units, { timeout: 30_000, interval: 25 });
    return payer;
  };
  /** Moves the payer's USDC away, at the payer's own cost. */
  const emptyWallet = async ({ wallet, address }: SolanaPayer): Promise<void> => {
    const friend = await newPayer(1n);
    await chain.airdrop(address, 1_000_000_000n);
    const [from, to] = [address, friend.address].map((owner) => new PublicKey(deriveTokenAccount(owner, USDC_MINT))) as [
      PublicKey,
      PublicKey,
    ];
    const transaction = new Transaction().add(createTransferInstruction(from, to, wallet.publicKey, await unitsOf(address)));
    transaction.recentBlockhash = (await connection.getLatestBlockhash()).blockhash;
    transaction.sign(wallet);
    await connection.sendRawTransaction(transaction.serialize(), { preflightCommitment: "processed" });
    await vi.waitUntil(async () => (await unitsOf(address)) === 0n, { timeout: 30_000, interval: 25 });
  };
  return { payerOf, newPayer, emptyWallet };
}

function requestsTo(service: Service) {
  const requestUnpaid = (body: unknown) => ask({ url: service.url("node"), path: X402_PATH, body });
  /** The requirements on Solana. */
  const requirementsFor = async (body: unknown): Promise<PaymentRequired & { accepts: readonly [PaymentRequirements] }> => {
    const required = requiredIn(await requestUnpaid(body));
    const offer = required?.accepts.find(({ network }) => network === solanaNetwork());
    if (!required || !offer) throw new Error("no payment was asked for on Solana");
    return { ...required, accepts: [offer] };
  };
  /** The stock client's payment for this body. */
  const signPayment = async ({ client }: SolanaPayer, body: unknown): Promise<SolanaPayload> =>
    JSON.parse(JSON.stringify(await client.createPaymentPayload((await requirementsFor(body)) as never)));
  const send = (body: unknown, payload: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    ask({ url: service.url("node"), path: X402_PATH, body, headers: { "payment-signature": encode(payload), ...headers } });
  return { requestUnpaid, requirementsFor, signPayment, send };
}

/** Call it after `openService({ env: x402SolanaSettings })`, and await it. */
export async function openX402OnSolana(service: Service, { slotMs = 100 } = {}) {
  const started = await startChain(slotMs);
  const terms = await openCustody(started);
  afterAll(async () => {
    try {
      expect(await checkPayments()).toEqual([]);
    } finally {
      await settlePayments.end();
      for (const forget of [setRelayer, setSponsor, setSigner]) forget(undefined);
      for (const name of Object.keys(x402SolanaSettings)) delete process.env[name];
      forgetSingleton("config");
      await started.stop();
    }
  });
  const { chain, payersNode, breakNodes } = started;
  const connection = new Connection(chain.url, "confirmed");
  return {
    chain,
    connection,
    payersNode,
    breakNodes,
    terms,
    unitsOf,
    ...payersOn(started, connection),
    ...requestsTo(service),
    /** The stock client's own fetch. */
    fetchAs: ({ client }: SolanaPayer, inner: typeof fetch = fetch) => wrapFetchWithPayment(inner, client),
    /** The treasury's USDC base units: the sum of everything that moved. */
    moved: () => unitsOf(terms.payTo),
    /** The fee payer's lamports. */
    fees: () => connection.getBalance(new PublicKey(terms.feePayer)),
    answered: async () => (await service.models.calls()).count,
  };
}

// The signer that derives its keys from a seed. No key leaves this file: an xpub together with one child's private key reveals every key
// below it.

import { base58 } from "@scure/base";
import type { HDKey } from "@scure/bip32";
import { bytesToHex, type Hex, type Signature, serializeSignature } from "viem";
import { sign } from "viem/accounts";
import { assert } from "@/lib/base/assert";
import { nowMs } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { baseChainId } from "@/lib/chains/evm/base";
import { isCallOfSettlement } from "@/lib/chains/evm/settlement";
import { type Transaction, transactionSigningHash } from "@/lib/chains/evm/transactions";
import { authorizationHash, readAuthorizedTransfer, usdcAddress } from "@/lib/chains/evm/usdc";
import { signTransaction, signWith } from "@/lib/chains/solana/message";
import { solanaNodes } from "@/lib/chains/solana/nodes";
import { readPaymentTransaction, withFeePayerSignature } from "@/lib/chains/solana/payment-transaction";
import { deriveTokenAccount } from "@/lib/chains/solana/token-address";
import { readBlockhash } from "@/lib/chains/solana/transactions";
import { USDC_MINT } from "@/lib/chains/solana/usdc";
import type { CallCost } from "@/lib/relay/calls";
import type { Relayer } from "@/lib/relay/relayer";
import type { SignedBySponsor, Sponsor } from "@/lib/relay/sponsor";
import { ATTESTATION_INDEX, type AttestedAddresses, attestedHash, baseAddressOf, deriveBaseAddress, isCustodialIndex } from "./addresses";
import { type FeeBudgets, openBudgets } from "./limits/fee-budget";
import { createMemoryJournal, type Journal } from "./limits/journal";
import { NANO_PER_UNIT, PaidOrders } from "./limits/paid-orders";
import { PayoutRefused } from "./limits/payout-refused";
import { payoutInstructions, treasuryAccountInstructions } from "./payout-instructions";
import { Seed } from "./seed";
import type { AuthorizedPayout, AuthorizedSweep, BaseSweep, SignedPayout, SignedSweep, Signer, SolanaSweep, Treasury } from "./signer";
import { MAX_OWNERS, sweepInstructions } from "./sweep-instructions";
import { behindCodec } from "./wire/wire-signer";
import { payoutNonce, type SignedOrder } from "./withdrawal-order";

/** A sandbox's mint is an address of its own seed, so that no account for it exists on any public chain. */
const SANDBOX_MINT_INDEX = 0x7fff_ffff;
const TREASURY_INDEX = 0x7fff_fffe;
const SPONSOR_INDEX = 0x7fff_fffd;

/** Validity of a payout on Base, in seconds. */
const PAYOUT_SECONDS = 3_600n;

/** Both signatures, and as much again as a priority fee: a payment that costs more is refused. */
const SPONSORED_LAMPORTS = 20_000n;
/** Seven signatures and the priority fee of a full sweep; a payout costs less. */
const TREASURY_LAMPORTS = 45_000n;
/** The rent of a token account, which its owner gets back by closing it: without a bound it could be taken with tiny orders. */
const RENT_LAMPORTS = 2_100_000n;

type Mode = "sandbox" | "live";

export interface KeysOptions {
  /** Where it writes down what it paid; in memory by default. */
  journal?: Journal;
  /** Which of the seed's relayers pays on Base; the first by default. */
  relayerIndex?: number | undefined;
  /** Whose key approves withdrawals above the line; nobody's by default. */
  operator?: string;
}

/** The keys of a seed's words, for the process that answers orders with them. */
export async function openKeys(words: string, mode: Mode, options: KeysOptions = {}): Promise<Signer> {
  return new SeedSigner(await Seed.fromWords(words), mode, options);
}

/** The signer of a seed's words in this process, behind the codec. */
export const openSigner = async (words: string, mode: Mode, options?: KeysOptions): Promise<Signer> =>
  behindCodec(await openKeys(words, mode, options));

/** The BIP-32 fingerprint of a seed's words. */
export const fingerprintOf = async (words: string): Promise<string> => (await Seed.fromWords(words)).fingerprint;

class SeedSigner implements Signer {
  readonly fingerprint: string;
  readonly xpub: string;
  readonly usdcMint: string;
  readonly treasury: Treasury;
  readonly relayer: Relayer;
  readonly sponsor: Sponsor;
  readonly #seed: Seed;
  readonly #relayerIndex: number;
  readonly #paid: PaidOrders;
  readonly #fees: FeeBudgets;

  constructor(seed: Seed, mode: Mode, { journal = createMemoryJournal(), operator, relayerIndex = 0 }: KeysOptions) {
    this.#seed = seed;
    this.#relayerIndex = relayerIndex;
    this.#paid = new PaidOrders(journal, operator ?? null);
    this.#fees = openBudgets(mode);
    this.fingerprint = seed.fingerprint;
    this.xpub = seed.baseAccount().publicExtendedKey;
    this.usdcMint = mode === "live" ? USDC_MINT : this.#solanaAddress(SANDBOX_MINT_INDEX);
    this.treasury = { base: baseAddressOf(seed.baseTreasury()), solana: this.#solanaAddress(TREASURY_INDEX) };
    this.relayer = {
      address: baseAddressOf(seed.baseRelayer(relayerIndex)),
      signTransaction: (transaction) => this.#signForRelayer(transaction),
    };
    this.sponsor = { address: this.#solanaAddress(SPONSOR_INDEX), signPayment: async (bytes) => this.#signPaymentOnSolana(bytes) };
  }

  async deriveAddresses(index: number): Promise<AttestedAddresses> {
    assert(isCustodialIndex(index), "a derivation index is below 0x7fffff00");
    const account = this.#seed.baseAccount();
    const solanaAddress = this.#solanaAddress(index);
    const addresses = {
      index,
      baseAddress: deriveBaseAddress(account, index),
      solanaAddress,
      solanaTokenAccount: deriveTokenAccount(solanaAddress, this.usdcMint),
    };
    const attestation = Buffer.from(account.deriveChild(ATTESTATION_INDEX).sign(attestedHash(addresses)));
    return { ...addresses, attestation };
  }

  async signSweepOnBase({ index, ...terms }: BaseSweep): Promise<AuthorizedSweep> {
    const from = deriveBaseAddress(this.#seed.baseAccount(), index);
    const authorization = { from, to: this.treasury.base, ...terms };
    const hash = authorizationHash(authorization, baseChainId());
    return { authorization, signature: serializeSignature(await signHash(this.#seed.baseAccount().deriveChild(index), hash)) };
  }

  async signSweepOnSolana({ owners, blockhash }: SolanaSweep): Promise<SignedSweep> {
    assert(owners.length > 0 && owners.length <= MAX_OWNERS, `one to ${MAX_OWNERS} owners fit into a transaction`);
    assert(
      owners.every(({ index }) => isCustodialIndex(index)),
      "a sweep is of custodial addresses",
    );
    const { usdcMint: mint } = this;
    const treasury = this.treasury.solana;
    this.#fees.treasury.take(TREASURY_LAMPORTS, `${blockhash} ${owners.map(({ index, units }) => `${index}:${units}`).join(" ")}`);
    const indexes = new Map(owners.map(({ index }) => [this.#solanaAddress(index), index]));
    indexes.set(treasury, TREASURY_INDEX);
    const instructions = sweepInstructions({
      treasury,
      mint,
      owners: owners.map(({ index, units }) => ({ address: this.#solanaAddress(index), units })),
    });
    const sign = (address: string, message: Uint8Array) => {
      const index = indexes.get(address);
      assert(index !== undefined, "a sweep is signed by its owners and the treasury");
      return signWith(this.#seed.solanaKey(index).privateKey, message);
    };
    return signTransaction({ feePayer: treasury, blockhash, instructions }, sign);
  }

  async signTreasuryAccountOnSolana(blockhash: string): Promise<SignedSweep> {
    const { solana: treasury } = this.treasury;
    this.#fees.treasury.take(TREASURY_LAMPORTS, blockhash);
    const sign = (address: string, message: Uint8Array) => {
      assert(address === treasury, "the treasury makes its account itself");
      return signWith(this.#seed.solanaKey(TREASURY_INDEX).privateKey, message);
    };
    return signTransaction({ feePayer: treasury, blockhash, instructions: treasuryAccountInstructions(treasury, this.usdcMint) }, sign);
  }

  checkPayout(order: SignedOrder): Promise<void> {
    return this.#paid.check(order);
  }

  async signPayoutOnBase(order: SignedOrder, cost: CallCost): Promise<AuthorizedPayout> {
    const { base: from } = this.treasury;
    const to = order.destination as Hex;
    const own = [from, this.relayer.address].map((address) => address.toLowerCase());
    if (order.chain !== "base" || own.includes(to)) throw new PayoutRefused("order");
    await this.#paid.admit(order, () => this.#takeGas(cost));
    const validBefore = BigInt(Math.floor(nowMs() / 1_000)) + PAYOUT_SECONDS;
    const authorization = { from, to, value: order.amount / NANO_PER_UNIT, validAfter: 0n, validBefore, nonce: payoutNonce(order) };
    const signature = await signHash(this.#seed.baseTreasury(), authorizationHash(authorization, baseChainId()));
    return { authorization, signature: serializeSignature(signature) };
  }

  async signPayoutOnSolana(order: SignedOrder): Promise<SignedPayout> {
    const { solana: treasury } = this.treasury;
    const { chain, destination, opensAccount, nonce } = order;
    if (chain !== "solana" || destination === treasury) throw new PayoutRefused("order");
    // From all of its own nodes: a caller that named the last transaction's end could have a second one signed while the first still
    // counts. Read before the order takes from the limit: without nodes nothing is signed for it.
    const { blockhash, ...used } = await readBlockhash(solanaNodes());
    const pay = () => {
      if (opensAccount) this.#fees.rent.check(RENT_LAMPORTS, nonce);
      this.#fees.treasury.take(TREASURY_LAMPORTS, nonce);
      if (opensAccount) this.#fees.rent.take(RENT_LAMPORTS, nonce);
    };
    await this.#paid.admit(order, pay);
    const units = order.amount / NANO_PER_UNIT;
    const instructions = payoutInstructions({ treasury, mint: this.usdcMint, destination, units, opensAccount, nonce });
    const sign = (address: string, message: Uint8Array) => {
      assert(address === treasury, "a payout is signed by the treasury alone");
      return signWith(this.#seed.solanaKey(TREASURY_INDEX).privateKey, message);
    };
    const signed = signTransaction({ feePayer: treasury, blockhash, instructions }, sign);
    await this.#paid.replace(order, { signature: signed.signature, ...used });
    return { ...signed, ...used };
  }

  async #signForRelayer(transaction: Transaction): Promise<Signature> {
    const { chainId, to, data, value = 0n } = transaction;
    assert(chainId === baseChainId(), "the relayer signs for the service's own chain");
    const usdc = usdcAddress(chainId);
    const terms = { serviceName: config().SERVICE_NAME, usdc, treasury: this.treasury.base, relayer: this.relayer.address };
    const isOurs = to.toLowerCase() === usdc ? this.#isTreasurys(data) : isCallOfSettlement({ to, data }, terms);
    assert(isOurs && value === 0n, "the relayer calls USDC for the treasury and the settlement contract, and sends no value");
    this.#takeGas(transaction);
    return signHash(this.#seed.baseRelayer(this.#relayerIndex), transactionSigningHash(transaction));
  }

  #takeGas({ nonce, gas, maxFeePerGas }: CallCost): void {
    this.#fees.relayer.take(gas * maxFeePerGas, `${nonce}`);
  }

  /** A sweep, a payment or a payout: one side of the transfer is the treasury. */
  #isTreasurys(data: Hex): boolean {
    const moved = readAuthorizedTransfer(data);
    const treasury = this.treasury.base.toLowerCase();
    return moved !== null && [moved.from, moved.to].some((side) => side.toLowerCase() === treasury);
  }

  /** The caller has checked the bytes already, but everything this key signs is checked here too, with no other outside input. */
  #signPaymentOnSolana(bytes: Uint8Array): SignedBySponsor {
    const terms = { feePayer: this.sponsor.address, mint: this.usdcMint, payTo: this.treasury.solana };
    const read = readPaymentTransaction(bytes, terms);
    assert(read.kind === "read", `the sponsor signs payments to the treasury alone: ${read.kind === "refused" ? read.why : ""}`);
    this.#fees.sponsor.take(SPONSORED_LAMPORTS, read.transaction.messageHash);
    const signature = signWith(this.#seed.solanaKey(SPONSOR_INDEX).privateKey, read.transaction.message);
    return { bytes: withFeePayerSignature(bytes, signature), signature: base58.encode(signature) };
  }

  #solanaAddress(index: number): string {
    return base58.encode(this.#seed.solanaKey(index).publicKeyRaw);
  }
}

function signHash({ privateKey }: HDKey, hash: Hex): Promise<Signature> {
  assert(privateKey, "a seed's keys are whole");
  return sign({ hash, privateKey: bytesToHex(privateKey) });
}

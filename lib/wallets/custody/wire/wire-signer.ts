// The other side of the codec: a signer that writes each order as text, hands it to the process that holds the seed, and reads the answer.
// All processes use it, those that hold the seed themselves too.

import { z } from "zod";
import { processSingleton } from "@/lib/base/process-singleton";
import { SolanaUnavailable } from "@/lib/chains/solana/node-failure";
import type { CallCost } from "@/lib/relay/calls";
import type { Relayer } from "@/lib/relay/relayer";
import { SignerUnavailable } from "@/lib/relay/signer-unavailable";
import type { Sponsor } from "@/lib/relay/sponsor";
import { PayoutRefused } from "../limits/payout-refused";
import type { BaseSweep, Signer, SolanaSweep, Treasury } from "../signer";
import type { SignedOrder } from "../withdrawal-order";
import { answerFrame } from "./answer";
import { type AnswerOf, type Identity, type Operation, type OrderOf, operations, type Problem, replyForm } from "./forms";

/**
 * Hands a frame to the signer, and resolves with its answer's frame.
 * @throws SignerUnavailable
 */
export type Exchange = (id: number, frame: string) => Promise<string>;

/** It is none of the things that the signer's keys sign. */
class SigningRefused extends Error {
  constructor(why: string) {
    super(why);
    this.name = "SigningRefused";
  }
}

const lastOrder = processSingleton("last order to the signer", () => ({ id: 0 }));

/** @throws what the signer's problem says */
export async function ask<K extends Operation>(exchange: Exchange, operation: K, order: OrderOf<K>): Promise<AnswerOf<K>> {
  const form = operations[operation];
  const last = lastOrder();
  last.id += 1;
  const { id } = last;
  const encoded = z.safeEncode(form.order as z.ZodType, order);
  if (!encoded.success) throw badForm(operation);
  const frame = await exchange(id, JSON.stringify({ id, operation, order: encoded.data }));
  const reply = replyForm.parse(JSON.parse(frame));
  if ("problem" in reply) throw errorOf(reply.problem);
  return z.decode(form.answer as z.ZodType, reply.answer) as AnswerOf<K>;
}

/** A withdrawal whose row was damaged is refused like one whose row was changed. */
const badForm = (operation: Operation): Error =>
  operation === "checkPayout" || operation.startsWith("signPayout")
    ? new PayoutRefused("order")
    : new SigningRefused(`The order has another form than ${operation} takes.`);

function errorOf(problem: Problem): Error {
  switch (problem.kind) {
    case "payout_refused":
      return new PayoutRefused(problem.refusal, problem.message);
    case "nodes":
      return new SolanaUnavailable("the signer", [problem.message]);
    case "not_now":
      return new SignerUnavailable(problem.message);
    case "refused":
      return new SigningRefused(problem.message);
    case "failed":
      return new Error(problem.message);
  }
}

/** A signer in this process, behind the codec. */
export async function behindCodec(keys: Signer): Promise<Signer> {
  const exchange: Exchange = (_, frame) => answerFrame(keys, frame);
  return new WireSigner(exchange, await ask(exchange, "identify", {}));
}

export class WireSigner implements Signer {
  readonly fingerprint: string;
  readonly xpub: string;
  readonly usdcMint: string;
  readonly treasury: Treasury;
  readonly relayer: Relayer;
  readonly sponsor: Sponsor;
  readonly #exchange: Exchange;

  constructor(exchange: Exchange, identity: Omit<Identity, "serviceName" | "chainId">) {
    this.#exchange = exchange;
    const { fingerprint, xpub, usdcMint, treasury, relayer, sponsor } = identity;
    this.fingerprint = fingerprint;
    this.xpub = xpub;
    this.usdcMint = usdcMint;
    this.treasury = treasury;
    this.relayer = {
      address: relayer,
      signTransaction: ({ chainId, nonce, to, data, gas, maxFeePerGas, maxPriorityFeePerGas, value }) => {
        const fees = { gas, maxFeePerGas, maxPriorityFeePerGas };
        return this.#ask("signForRelayer", { chainId, nonce, to, data, ...fees, ...(value === undefined ? {} : { value }) });
      },
    };
    this.sponsor = { address: sponsor, signPayment: (bytes) => this.#ask("signPaymentOnSolana", { bytes: Buffer.from(bytes) }) };
  }

  deriveAddresses(index: number) {
    return this.#ask("deriveAddresses", { index });
  }

  signSweepOnBase({ index, value, validAfter, validBefore, nonce }: BaseSweep) {
    return this.#ask("signSweepOnBase", { index, value, validAfter, validBefore, nonce });
  }

  signSweepOnSolana({ owners, blockhash }: SolanaSweep) {
    return this.#ask("signSweepOnSolana", { owners: owners.map(({ index, units }) => ({ index, units })), blockhash });
  }

  signTreasuryAccountOnSolana(blockhash: string) {
    return this.#ask("signTreasuryAccountOnSolana", { blockhash });
  }

  async checkPayout(order: SignedOrder) {
    await this.#ask("checkPayout", fieldsOf(order));
  }

  signPayoutOnBase(order: SignedOrder, { nonce, gas, maxFeePerGas }: CallCost) {
    return this.#ask("signPayoutOnBase", { ...fieldsOf(order), cost: { nonce, gas, maxFeePerGas } });
  }

  signPayoutOnSolana(order: SignedOrder) {
    return this.#ask("signPayoutOnSolana", fieldsOf(order));
  }

  #ask<K extends Operation>(operation: K, order: OrderOf<K>): Promise<AnswerOf<K>> {
    return ask(this.#exchange, operation, order);
  }
}

/** Only what the text says, and its signatures: a caller's order is a row of the database with more fields. */
const fieldsOf = (order: SignedOrder): OrderOf<"checkPayout"> => {
  const { accountId, chain, destination, amount, fee, opensAccount, nonce, issuedAt, validUntil, signer, signature } = order;
  const text = { accountId, chain, destination, amount, fee, opensAccount, nonce, issuedAt, validUntil };
  const signatures = { signature, operatorSignature: order.operatorSignature ?? null };
  return { ...text, signer: { chain: signer.chain, address: signer.address }, ...signatures };
};

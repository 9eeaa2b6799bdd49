// A real chain with Base's chain id and USDC at its address, and payers with x402's own, unmodified client, for the contract suite. It
// stops with the test file, and every payment is checked against the books.

import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import type { Hex } from "viem";
import { generatePrivateKey, type PrivateKeyAccount } from "viem/accounts";
import { afterAll, expect } from "vitest";
import type { AccountId } from "@/lib/base/ids";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { newAddress, startUsdcChain } from "@/lib/chains/evm/testing/usdc-chain";
import { type Authorization, authorizationTypedData, encodeAuthorizedTransfer, usdcAbi } from "@/lib/chains/evm/usdc";
import { pool } from "@/lib/db/pool";
import { checkPayments } from "@/lib/payments/claims/check";
import { creditAccountOf } from "@/lib/payments/claims/credits";
import { evmNetwork } from "@/lib/payments/claims/networks";
import type { PaymentRequired, PaymentRequirements, SettlementResponse } from "@/lib/payments/x402/wire";
import { setRelayer } from "@/lib/relay/relayer";
import { writeSettlementParties } from "@/lib/relay/settlement-parties";
import { relayerOf } from "@/lib/relay/testing/relayed-chain";
import { balanceOf, chargesOf } from "./books";
import { type Answer, ask } from "./client";
import type { Service } from "./service";

const BASE = 8_453;
export const X402_PATH = "/api/v1/x402/prompt";

/** For `openService`: all payers of a file share one address. */
export const x402Settings = { BASE_CHAIN_ID: `${BASE}`, RATE_LIMIT_PER_MINUTE: "1000000", X402_CONCURRENCY_LIMIT: "1000" };

/** The stock client's payload; tests may change its fields before sending it. */
export interface Payload {
  x402Version: number;
  resource?: { url: string };
  accepted: PaymentRequirements;
  payload: { signature: Hex; authorization: Record<"from" | "to" | "value" | "validAfter" | "validBefore" | "nonce", string> };
}

export interface X402Payer {
  account: PrivateKeyAccount;
  client: x402Client;
  /** The ledger account of the address. */
  credit: AccountId;
}

export const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64");
const decode = (header: string | null): unknown => (header === null ? null : JSON.parse(Buffer.from(header, "base64").toString("utf8")));
export const requiredIn = ({ headers }: Pick<Answer, "headers">) => decode(headers.get("payment-required")) as PaymentRequired | null;
export const settlementIn = ({ headers }: Pick<Answer, "headers">) => decode(headers.get("payment-response")) as SettlementResponse | null;

/** The chain, our relayer on it, and the treasury. */
async function startBase() {
  // Blocks are made only for transactions.
  const chain = await startUsdcChain({ blockTimeMs: 3_600_000, chainId: BASE });
  const relayer = relayerOf(generatePrivateKey());
  const treasury = newAddress();
  await chain.fundGas(relayer.address);
  setRelayer(relayer);
  setSandboxEvmNodes([chain.url()]);
  await writeSettlementParties({ treasury, relayer: relayer.address });
  afterAll(async () => {
    try {
      expect(await checkPayments()).toEqual([]);
    } finally {
      setRelayer(undefined);
      for (const name of Object.keys(x402Settings)) delete process.env[name];
      forgetSingleton("config");
      await chain.stop();
    }
  });
  return { chain, relayer, treasury };
}

/** Call it after `openService({ env: x402Settings })`, and await it. */
export async function openX402(service: Service) {
  const { chain, relayer, treasury } = await startBase();
  /** A wallet used by the stock client. */
  const payerOf = (account: PrivateKeyAccount): X402Payer => ({
    account,
    client: new x402Client().register("eip155:*", new ExactEvmScheme(account)),
    credit: creditAccountOf(evmNetwork(), account.address.toLowerCase()),
  });
  const newPayer = async (units = 10_000_000n): Promise<X402Payer> => payerOf(await chain.newAccount(units));
  const requestUnpaid = (body: unknown) => ask({ url: service.url("node"), path: X402_PATH, body });
  /** The stock client's payment for this body. */
  const sign = async ({ client }: X402Payer, body: unknown): Promise<Payload> => {
    const required = requiredIn(await requestUnpaid(body));
    if (!required) throw new Error("no payment was asked for");
    return JSON.parse(JSON.stringify(await client.createPaymentPayload(required as never)));
  };
  const send = (body: unknown, payload: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    ask({ url: service.url("node"), path: X402_PATH, body, headers: { "payment-signature": encode(payload), ...headers } });
  const usdcOf = (address: Hex): Promise<bigint> =>
    chain.client.readContract({ address: chain.usdc, abi: usdcAbi, functionName: "balanceOf", args: [address] });

  /** Executes an authorization as a stranger would. */
  const submit = async ({ authorization, signature }: Payload["payload"]): Promise<Hex> => {
    const data = encodeAuthorizedTransfer(wordsOf(authorization), signature);
    const hash = await chain.client.sendTransaction({ account: await chain.newAccount(), to: chain.usdc, data });
    await chain.client.waitForTransactionReceipt({ hash });
    return hash;
  };

  return {
    chain,
    relayer,
    treasury,
    payerOf,
    newPayer,
    requestUnpaid,
    sign,
    send,
    submit,
    usdcOf,
    /** The stock client's own fetch. */
    fetchAs: ({ client }: X402Payer, inner: typeof fetch = fetch) => wrapFetchWithPayment(inner, client),
    /** The treasury's USDC base units: the sum of everything that moved. */
    moved: () => usdcOf(treasury),
    answered: async () => (await service.models.calls()).count,
  };
}

const wordsOf = ({ from, to, value, validAfter, validBefore, nonce }: Payload["payload"]["authorization"]): Authorization => ({
  from: from as Hex,
  to: to as Hex,
  nonce: nonce as Hex,
  value: BigInt(value),
  validAfter: BigInt(validAfter),
  validBefore: BigInt(validBefore),
});

/** Signs other field values of the authorization than the stock client would. */
export async function resigned(
  { account }: X402Payer,
  payload: Payload,
  words: Partial<Payload["payload"]["authorization"]>,
): Promise<Payload> {
  const authorization = { ...payload.payload.authorization, ...words };
  const signature = await account.signTypedData(authorizationTypedData(wordsOf(authorization), BASE));
  return { ...payload, payload: { authorization, signature } };
}

/** A payer's payments by the books, nano-USD, and the number of transfers. */
export async function paidInBy({ credit }: Pick<X402Payer, "credit">): Promise<{ count: number; sum: bigint }> {
  const { rows } = await pool().query<{ amount: bigint }>(
    "SELECT e.amount FROM entry e JOIN transfer t ON t.id = e.transfer_id WHERE e.account_id = $1 AND t.kind = 'payment'",
    [credit],
  );
  return { count: rows.length, sum: rows.reduce((sum, { amount }) => sum + amount, 0n) };
}

/** Payer and books must agree: the credit is what was paid in minus what was charged, and never negative. */
export async function expectBooked(payer: Pick<X402Payer, "credit">, expected: { payments: number; answers: number }): Promise<void> {
  const paidIn = await paidInBy(payer);
  const charges = await chargesOf(payer.credit);
  const charged = charges.reduce((sum, charge) => sum + charge.input_cost + charge.output_cost, 0n);
  expect({ payments: paidIn.count, answers: charges.length }).toEqual(expected);
  const balance = await balanceOf(payer.credit);
  expect(balance < 0n ? 0n : balance).toBe(paidIn.sum - charged);
}

// The answers about payments: the payment that came with a request, and the terms that a wallet signs.

import { z } from "zod";
import { type AnswerOf, count, usd } from "./fields";

const address = (text: string) =>
  z
    .string()
    .regex(/^0x[0-9a-f]{40}$/)
    .describe(text);

const paid = {
  requestId: z.string().optional().describe("For a signed payment: the payment.requestId you sent."),
  from: z.string().describe("The paying wallet."),
  network: z.string().describe("The network's CAIP-2 ID."),
  amount: z.number().min(0).describe("Amount transferred, USDC cents; 0 if the wallet's credit covered the request."),
  amountUsd: usd("Same as amount, in USD."),
  transaction: z.string().nullable().describe("The transaction that transferred it; null if nothing was transferred."),
  charged: usd("What the request cost."),
  change: usd("amountUsd minus charged, at least 0."),
  changeBelongsTo: z
    .enum(["account", "address"])
    .describe(
      "Where the change is. account: in the balance of the account that the wallet is linked to. address: a credit of the wallet's address; to claim it, sign in with the wallet.",
    ),
};

export const payment = z.object(paid).describe("The payment sent with the request. Absent without one.");

export type Payment = AnswerOf<typeof payment>;

export const receiptPayment = z
  .object({ scheme: z.enum(["proof", "exact"]).describe("proof: a signed payment. exact: x402."), ...paid })
  .nullable()
  .describe("The payment sent with the request; null if a balance or a credit paid.");

const network = z.object({
  network: z.string().describe("The network's CAIP-2 ID."),
  names: z.array(z.string()).describe("Accepted values of payment.network."),
  chainId: z.int().describe("The EIP-155 chain ID."),
  settlementContract: address("The contract that transfers the payment. Your wallet approves USDC to it once."),
  isDeployed: z.boolean().nullable().describe("Whether the contract is deployed; null if unknown because no node responds."),
  usdc: address("The USDC contract."),
  treasury: address("The only address the contract can send USDC to."),
  relayer: address("The only address that can call the contract. It pays the gas."),
});

export const paymentTerms = z.object({
  serviceName: z.string().describe("The name of the service: the first word of the message to sign."),
  message: z
    .array(z.string())
    .length(4)
    .describe("The four lines to sign with personal_sign, joined by line feeds, without a trailing one."),
  minimumAmount: z.int().min(1).describe("Minimum payment, USDC cents."),
  maxAgeMs: count("Maximum difference between a payment's timestamp and the server's time when it first arrives, in milliseconds."),
  networks: z.array(network).describe("Networks for signed payments; empty if this service does not accept them."),
  x402: z
    .object({
      version: z.literal(2).describe("The protocol version."),
      scheme: z.literal("exact").describe("Always exact."),
      endpoint: z.url().describe("The endpoint for x402 clients. Same body, no API key."),
      networks: z.array(z.string()).describe("Networks, as CAIP-2 IDs."),
    })
    .describe("Payment with x402."),
});

export type PaymentTerms = AnswerOf<typeof paymentTerms>;

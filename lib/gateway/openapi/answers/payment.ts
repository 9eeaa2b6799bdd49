// The answers about payments: the payment that came with a request, and the terms that a wallet signs.

import { z } from "zod";
import { count, usd } from "./fields";

const address = (text: string) =>
  z
    .string()
    .regex(/^0x[0-9a-f]{40}$/)
    .describe(text);

const paid = {
  requestId: z.string().optional().describe("Of a signed proof: the requestId that its payer chose."),
  from: z.string().describe("The paying wallet."),
  network: z.string().describe("The network, by its CAIP-2 name."),
  amount: z.number().min(0).describe("What was moved, USDC cents; 0 when a credit of the payer covered the request."),
  transaction: z.string().nullable().describe("That moved it, on its network; null when nothing was moved."),
  charged: usd("What the request cost, which was taken from it."),
  change: usd("amount less charged: what is left of it."),
  changeBelongsTo: z
    .enum(["account", "address"])
    .describe(
      "Whose the change is: of the account that proved the wallet to be its own, or of the wallet's address, which claims it by signing in.",
    ),
};

export const payment = z.object(paid).describe("The payment that came with the request; only where one did.");

export const receiptPayment = z
  .object({ scheme: z.enum(["proof", "exact"]).describe("proof for the four signed lines, exact for x402."), ...paid })
  .nullable()
  .describe("The payment that came with the request; null when the balance paid.");

const network = z.object({
  network: z.string().describe("Its CAIP-2 name."),
  names: z.array(z.string()).describe("What to write as payment.network."),
  chainId: z.int().describe("Its EIP-155 number."),
  settlementContract: address("The contract that moves what was signed; the wallet approves USDC to it once."),
  isDeployed: z.boolean().nullable().describe("Whether it is there; null while no node tells."),
  usdc: address("USDC there."),
  treasury: address("Where the contract moves USDC to; it can move it nowhere else."),
  relayer: address("Who alone may call the contract, and pays for the gas."),
});

export const paymentTerms = z.object({
  serviceName: z.string().describe("The word that the text begins with."),
  message: z.array(z.string()).length(4).describe("The lines to sign with personal_sign, joined by a line feed, with none at the end."),
  minimumAmount: z.int().min(1).describe("Minimum payment, USDC cents."),
  maxAgeMs: count("How far from now a payment's timestamp may be, either way, in milliseconds."),
  networks: z.array(network).describe("Where proofs are settled; none when this service settles none."),
  x402: z
    .object({
      version: z.literal(2).describe("Of the protocol."),
      scheme: z.literal("exact").describe("Always exact."),
      endpoint: z.url().describe("Where its clients send the same body without a key."),
      networks: z.array(z.string()).describe("By their CAIP-2 names."),
    })
    .describe("Paying by x402."),
});

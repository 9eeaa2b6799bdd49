// Payments that a wallet signs for one request: the payment sent, its outcome, and the terms that are signed.

/** A payment that a wallet signed for one request. */
export interface Payment {
  /** The paying wallet's address. */
  from: string;
  /** USDC cents. */
  amount: number;
  /** Over the text from `paymentTerms()`. */
  signature: string;
  /** Unix milliseconds. */
  timestamp: number;
  /** `req_` and a number, used once. */
  requestId: string;
  network: string;
}

/** The payment that came with a request, and its change. */
export interface PaymentMade {
  /** The payer's id for a signed payment; x402 has none. */
  requestId?: string;
  from: string;
  /** CAIP-2, such as `eip155:8453`. */
  network: string;
  /** USDC cents that the payment moved. */
  amount: number;
  /** The same in USD, the unit of `charged` and `change`. */
  amountUsd: number;
  /** Null when the payer's credit paid. */
  transaction: string | null;
  /** USD, both. */
  charged: number;
  change: number;
  /** Who owns the change: the account of the paying wallet, or the wallet itself, which claims it by signing in. */
  changeBelongsTo: "account" | "address";
}

/** What a wallet signs to pay for a request directly. */
export interface PaymentTerms {
  serviceName: string;
  /** Joined by line feeds, with `<requestId>`, `<amount>` and `<timestamp>` filled in. */
  message: string[];
  /** USDC cents. */
  minimumAmount: number;
  /** How far from now a payment's timestamp may be. */
  maxAgeMs: number;
  /** Empty when the service settles no signed payments. */
  networks: {
    network: string;
    names: string[];
    chainId: number;
    /** The contract that the wallet approves USDC to, once. */
    settlementContract: string;
    /** Null while no node answers. */
    isDeployed: boolean | null;
    usdc: string;
    treasury: string;
    relayer: string;
  }[];
  x402: { version: 2; scheme: "exact"; endpoint: string; networks: string[] };
  requestId: string;
}

// Payments that a wallet signs for one request: what is sent, what comes of it, and what is signed.

/** What a wallet signed away for one request. */
export interface Payment {
  /** The paying wallet's address. */
  from: string;
  /** USDC cents. */
  amount: number;
  /** Of the text that `paymentTerms()` gives. */
  signature: string;
  /** Unix milliseconds. */
  timestamp: number;
  /** `req_` and a number, used once. */
  requestId: string;
  network: string;
}

/** The payment that came with a request, and what is left of it. */
export interface PaymentMade {
  /** Of a signed payment: the payer's own; x402 has none. */
  requestId?: string;
  from: string;
  /** CAIP-2, such as `eip155:8453`. */
  network: string;
  /** USDC cents that were moved. */
  amount: number;
  /** Null when a credit of the payer paid. */
  transaction: string | null;
  /** USD, both. */
  charged: number;
  change: number;
  /** Whose the change is: the account's whose wallet paid, or the wallet's, which claims it by signing in. */
  changeBelongsTo: "account" | "address";
}

/** What a wallet signs to pay for a request by itself. */
export interface PaymentTerms {
  serviceName: string;
  /** Joined by line feeds, with `<requestId>`, `<amount>` and `<timestamp>` filled in. */
  message: string[];
  /** USDC cents. */
  minimumAmount: number;
  /** How far from now a payment's timestamp may be. */
  maxAgeMs: number;
  /** None where no signed payments are settled. */
  networks: {
    network: string;
    names: string[];
    chainId: number;
    /** What the wallet approves USDC to, once. */
    settlementContract: string;
    /** Null while no node tells. */
    isDeployed: boolean | null;
    usdc: string;
    treasury: string;
    relayer: string;
  }[];
  x402: { version: 2; scheme: "exact"; endpoint: string; networks: string[] };
  requestId: string;
}

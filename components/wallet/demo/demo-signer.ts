import type { DemoTransfer } from "@/lib/console/views/wallet";

/** The signer of a demo wallet, on one chain. */
export interface DemoSigner {
  address: () => Promise<string>;
  /** Resolves with hex on EVM chains, base58 on Solana. */
  sign: (text: string) => Promise<string>;
  /** Resolves with the transaction's hash on EVM chains, with the signature, base58, on Solana. */
  pay: (transfer: DemoTransfer) => Promise<string>;
}

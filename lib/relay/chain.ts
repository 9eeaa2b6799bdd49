// The chains that transactions are relayed into, and the nodes that they are sent to.

import { isEvmFailure } from "@/lib/chains/evm/failure";
import { type EvmNodes, evmNodes } from "@/lib/chains/evm/nodes";
import { type SolanaNodes, solanaNodes } from "@/lib/chains/solana/nodes";

export type RelayChain = "base" | "solana";

/** Where to send; the service's own nodes by default. */
export interface RelayNodes {
  evm?: EvmNodes;
  solana?: SolanaNodes;
}

export const evmOf = ({ evm }: RelayNodes): EvmNodes => evm ?? evmNodes();
export const solanaOf = ({ solana }: RelayNodes): SolanaNodes => solana ?? solanaNodes();

/** True for Solana's failure of any copy of its module: no node answered. */
export const isSolanaUnavailable = (error: unknown): boolean => error instanceof Error && error.name === "SolanaUnavailable";

/** True for what a chain's nodes could not tell, on either chain; the nodes' own lists say which is away. */
export const isNodesFault = (error: unknown): boolean => isEvmFailure(error) || isSolanaUnavailable(error);

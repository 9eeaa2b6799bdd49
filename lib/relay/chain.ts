// The chains that transactions are relayed into, and the nodes that they are sent to.

import { isEvmFailure } from "@/lib/chains/evm/failure";
import { type EvmNodes, evmNodes } from "@/lib/chains/evm/nodes";
import { isSolanaUnavailable } from "@/lib/chains/solana/node-failure";
import { type SolanaNodes, solanaNodes } from "@/lib/chains/solana/nodes";
import { isSignerUnavailable } from "./signer-unavailable";

/** Where to send; the service's own nodes by default. */
export interface RelayNodes {
  evm?: EvmNodes;
  solana?: SolanaNodes;
}

export const evmOf = ({ evm }: RelayNodes): EvmNodes => evm ?? evmNodes();
export const solanaOf = ({ solana }: RelayNodes): SolanaNodes => solana ?? solanaNodes();

/** True when the nodes of either chain could not answer; the nodes' own lists report which is down. */
export const isNodesFault = (error: unknown): boolean => isEvmFailure(error) || isSolanaUnavailable(error);

/** True when the nodes could not answer, or the signer cannot sign at the moment: both are reported already, and the next round tries again. */
export const isOutage = (error: unknown): boolean => isNodesFault(error) || isSignerUnavailable(error);

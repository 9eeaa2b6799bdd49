"use client";

import { useQuery } from "@tanstack/react-query";
import type { Address } from "viem";
import { type Connector, useAccount, useConfig } from "wagmi";
import type { EvmUsdc } from "@/lib/console/views/send-targets";
import { findPlace, switchToChain } from "./payment/evm-usdc";
import type { Place } from "./payment/paying-wallet";
import { useEvmWallet } from "./use-evm-wallet";
import type { WalletHandle } from "./wallet-handle";

interface EvmPlace {
  handle: WalletHandle;
  /** Null while no wallet is connected. */
  wallet: { address: Address; connector: Connector } | null;
  place: Place;
  /** Asks the wallet to switch to this service's chain. */
  switchToOurs: () => Promise<void>;
}

/** An Ethereum wallet, and whether it is on this service's chain. */
export function useEvmPlace(target: EvmUsdc): EvmPlace {
  const handle = useEvmWallet();
  const config = useConfig();
  const { address, connector, chainId } = useAccount();
  const wallet = address && connector && handle.wallet ? { address, connector } : null;
  const placed = useQuery({
    queryKey: ["place", address, connector?.uid, chainId],
    queryFn: () => (connector ? findPlace(config, connector, target) : { kind: "asking" as const }),
    enabled: wallet !== null,
    retry: false,
  });
  return {
    handle,
    wallet,
    place: wallet ? (placed.data ?? { kind: "asking" }) : { kind: "asking" },
    switchToOurs: async () => {
      await switchToChain(config, connector, target);
      await placed.refetch();
    },
  };
}

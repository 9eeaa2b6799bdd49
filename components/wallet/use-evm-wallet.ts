"use client";

import { useConnectModal } from "@rainbow-me/rainbowkit";
import { useEffect, useState } from "react";
import { type Connector, useAccount, useConfig, useConnect, useDisconnect, useSignMessage } from "wagmi";
import { wordsFor } from "./wallet-error";
import type { WalletHandle } from "./wallet-handle";
import { PHONE, useOpenWalletList } from "./wallet-lists";

/** An Ethereum wallet, chosen in our list of the wallets that wagmi finds. */
export function useEvmWallet(): WalletHandle {
  const { address, connector, isConnected } = useAccount();
  const { openConnectModal } = useConnectModal();
  const { connectors, chains } = useConfig();
  const { connectAsync } = useConnect();
  const { disconnectAsync } = useDisconnect();
  const { signMessageAsync } = useSignMessage();
  const openList = useOpenWalletList();
  const [chosen, setChosen] = useState(0);
  const [isConnecting, setConnecting] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [wantsPhone, setWantsPhone] = useState(false);

  // RainbowKit's list opens only while no wallet is connected.
  useEffect(() => {
    if (!wantsPhone || isConnected || !openConnectModal) return;
    setWantsPhone(false);
    openConnectModal();
  }, [wantsPhone, isConnected, openConnectModal]);

  const connect = async (uid: string) => {
    if (isConnected) await disconnectAsync();
    setChosen((count) => count + 1);
    if (uid === PHONE) return setWantsPhone(true);
    const wanted = connectors.find((one) => one.uid === uid);
    if (!wanted) return;
    setConnecting(true);
    // A wallet on another network is asked to switch while it connects.
    const current = await readChainId(wanted);
    const chainId = chains.find(({ id }) => id === current)?.id ?? chains[0].id;
    await connectAsync({ connector: wanted, chainId }).catch((error: unknown) => setProblem(wordsFor(error)));
    setConnecting(false);
  };

  return {
    wallet: isConnected && address && connector ? { chain: "evm", address, name: connector.name, id: connector.id } : null,
    chosen,
    isConnecting,
    problem,
    choose: () => {
      setProblem(null);
      openList("evm", (uid) => void connect(uid));
    },
    sign: async ({ nonce, text }) => {
      if (!address) throw new Error("no wallet is connected");
      const signature = await signMessageAsync({ account: address, message: text });
      return { nonce, chain: "evm", address, message: text, signature };
    },
    refused: () => undefined, // it already signs our own text
    forget: () => disconnectAsync(),
  };
}

/** Null when the wallet does not say before it is connected. */
const readChainId = (connector: Connector): Promise<number | null> => connector.getChainId().catch(() => null);

"use client";

import { useConnectModal } from "@rainbow-me/rainbowkit";
import { useEffect, useState } from "react";
import { useAccount, useDisconnect, useSignMessage } from "wagmi";
import type { WalletHandle } from "./wallet-handle";

/** An Ethereum wallet, chosen in RainbowKit's list. */
export function useEvmWallet(): WalletHandle {
  const { address, connector, isConnected, isConnecting } = useAccount();
  const { openConnectModal, connectModalOpen } = useConnectModal();
  const { disconnectAsync } = useDisconnect();
  const { signMessageAsync } = useSignMessage();
  const [chosen, setChosen] = useState(0);
  const [isChoosing, setChoosing] = useState(false);

  // RainbowKit's list opens only while no wallet is connected.
  useEffect(() => {
    if (!isChoosing || isConnected || !openConnectModal) return;
    setChoosing(false);
    openConnectModal();
  }, [isChoosing, isConnected, openConnectModal]);

  return {
    wallet: isConnected && address && connector ? { chain: "evm", address, name: connector.name, id: connector.id } : null,
    chosen,
    // The list itself shows progress and errors.
    isConnecting: isConnecting && !connectModalOpen && chosen > 0,
    problem: null,
    choose: () => {
      setChosen((count) => count + 1);
      setChoosing(true);
      if (isConnected) void disconnectAsync();
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

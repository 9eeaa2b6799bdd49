"use client";

import { base58 } from "@scure/base";
import type { WalletName } from "@solana/wallet-adapter-base";
import { useWallet } from "@solana/wallet-adapter-react";
import type { SolanaSignInInput } from "@solana/wallet-standard-features";
import { useEffect, useRef, useState } from "react";
import type { PlainChallenge } from "@/lib/console/views/wallet";
import { wordsFor } from "./wallet-error";
import type { WalletHandle } from "./wallet-handle";
import { useOpenWalletList } from "./wallet-lists";
import type { SignedChallenge } from "./wallet-types";

/** A Solana wallet, chosen in our list of the wallets that wallet-adapter finds. */
export function useSolanaWallet(): WalletHandle {
  const { wallet, publicKey, connected, connecting, connect, disconnect, select, signIn, signMessage } = useWallet();
  const openList = useOpenWalletList();
  const [chosen, setChosen] = useState(0);
  const [wanted, setWanted] = useState<WalletName | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  /** Names of wallets that signed another text than ours. */
  const ownWriters = useRef(new Set<string>());
  const name = wallet?.adapter.name;
  const address = publicKey?.toBase58();

  useEffect(() => {
    if (wanted === null) return;
    setWanted(null);
    setChosen((count) => count + 1);
    select(wanted);
  }, [wanted, select]);

  // Choosing a wallet only selects it. Another wallet of an earlier visit is not connected until the person chooses it.
  useEffect(() => {
    if (chosen === 0 || name === undefined || connected || connecting) return;
    connect().catch((error: unknown) => {
      setProblem(wordsFor(error));
      select(null); // so that choosing the same wallet again counts as a choice
    });
  }, [chosen, name, connected, connecting, connect, select]);

  const sign = async ({ nonce, text, signInInput }: PlainChallenge): Promise<SignedChallenge> => {
    if (!address || name === undefined) throw new Error("no wallet is connected");
    if (signIn && signInInput && !(signMessage && ownWriters.current.has(name))) {
      const { signedMessage, signature } = await signIn(signInInput as SolanaSignInInput);
      return { nonce, chain: "solana", address, message: new TextDecoder().decode(signedMessage), signature: base58.encode(signature) };
    }
    if (!signMessage) throw new Error("This wallet cannot sign messages.");
    const signature = await signMessage(new TextEncoder().encode(text));
    return { nonce, chain: "solana", address, message: text, signature: base58.encode(signature) };
  };

  return {
    wallet: connected && address && name !== undefined ? { chain: "solana", address, name, id: name } : null,
    chosen,
    isConnecting: connecting && chosen > 0,
    problem,
    choose: () => {
      setProblem(null);
      select(null);
      openList("solana", (next) => setWanted(next as WalletName));
    },
    sign,
    refused: () => {
      if (name !== undefined) ownWriters.current.add(name);
    },
    forget: async () => {
      await disconnect();
      select(null);
    },
  };
}

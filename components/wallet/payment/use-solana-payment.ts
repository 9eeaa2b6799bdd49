"use client";

import { useConnection, useWallet } from "@solana/wallet-adapter-react";
import { useQuery } from "@tanstack/react-query";
import { chainRegistry } from "@/lib/base/chains";
import type { SolanaTarget } from "@/lib/console/views/send-targets";
import { useSolanaWallet } from "../use-solana-wallet";
import { type Funds, type PayingWallet, PaymentProblem } from "./paying-wallet";
import { readSolanaFunds, sendSolanaTransfer, writeSolanaTransfer } from "./solana-transfer";
import { lacksFeeText } from "./use-payment";

const FUNDS_EVERY_MS = 10_000;

/**
 * Pays from a Solana wallet. The wallet signs and this page sends, through the service's own nodes: a wallet that sends itself would
 * use nodes of the public cluster, where a sandbox has nothing.
 */
export function useSolanaPayment(target: SolanaTarget): PayingWallet {
  const handle = useSolanaWallet();
  const { connection } = useConnection();
  const { publicKey, signTransaction } = useWallet();
  const isReady = handle.wallet !== null && publicKey !== null;
  const funds = useQuery({
    queryKey: ["funds", publicKey?.toBase58()],
    queryFn: async () => {
      if (!publicKey) return null;
      return inWords(await readSolanaFunds(connection, target, publicKey));
    },
    enabled: isReady,
    refetchInterval: FUNDS_EVERY_MS,
  });
  return {
    handle,
    // Solana wallets are on no chain: the contents of a transaction decide where it can run.
    place: isReady ? { kind: "here" } : { kind: "asking" },
    funds: funds.data ?? null,
    switchChain: async () => undefined,
    pay: async (units, onSent) => {
      if (!publicKey) throw new PaymentProblem("Choose a wallet first.");
      if (!signTransaction) throw new PaymentProblem("This wallet cannot sign transactions here. Use another one.");
      const { transaction, lastValidBlockHeight } = await writeSolanaTransfer(connection, target, { payer: publicKey, units });
      await sendSolanaTransfer(connection, { signed: await signTransaction(transaction), lastValidBlockHeight }, onSent);
      await funds.refetch();
    },
  };
}

const inWords = ({ units, lacksLamports }: Awaited<ReturnType<typeof readSolanaFunds>>): Funds => ({
  units,
  feeProblem: lacksLamports ? lacksFeeText({ chainName: chainRegistry.solana.name, feeCoin: chainRegistry.solana.nativeCurrency }) : null,
});

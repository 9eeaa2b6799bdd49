"use client";

import { useState } from "react";
import { toast } from "sonner";
import { ShortAddress, shortAddress } from "@/components/ui/text/short-address";
import { dayText, momentText } from "@/components/ui/text/time-text";
import type { Answer } from "@/lib/console/views/answer";
import type { OwnWallet } from "@/lib/console/views/settings";
import type { NamedWallet } from "@/lib/console/views/wallet";
import { Badge } from "../../ui/badge";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { EvmMark, SolanaMark } from "../../wallet/chain-marks";
import { useAction } from "../use-action";

type UnlinkWallet = (wallet: NamedWallet) => Promise<Answer>;

interface WalletListProps {
  wallets: readonly OwnWallet[];
  unlink: UnlinkWallet;
}

/** The wallets of the account: each can sign in and do everything. */
export function WalletList({ wallets, unlink }: WalletListProps) {
  return (
    <ul className="text-sm">
      {wallets.map((wallet) => (
        <li key={wallet.address} className="flex items-center gap-3 border-b border-line py-3 first:pt-0">
          {wallet.chain === "evm" ? <EvmMark /> : <SolanaMark />}
          <span className="min-w-0 grow">
            <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
              <ShortAddress value={wallet.address} what="address" />
              {wallet.isFirst ? <Badge>first wallet</Badge> : null}
              {wallet.isCurrent ? <Badge tone="good">in use</Badge> : null}
            </span>
            <span className="mt-0.5 block text-xs text-muted">
              {wallet.chain === "evm" ? "Ethereum" : "Solana"} · linked{" "}
              <time dateTime={wallet.linkedAt.toISOString()} title={momentText(wallet.linkedAt)}>
                {dayText(wallet.linkedAt)}
              </time>
            </span>
          </span>
          {wallets.length > 1 ? <Unlink wallet={wallet} unlink={unlink} /> : null}
        </li>
      ))}
    </ul>
  );
}

function Unlink({ wallet, unlink }: { wallet: OwnWallet; unlink: UnlinkWallet }) {
  const [open, setOpen] = useState(false);
  const { busy, run } = useAction();
  const confirm = async () => {
    const { chain, address } = wallet;
    const answer = await run(() => unlink({ chain, address }));
    if (answer.ok) toast.success("Unlinked. This wallet can no longer sign in.");
    else toast.error(answer.message);
    setOpen(false);
  };
  return (
    <>
      <Button size="small" aria-label={`Unlink ${wallet.address}`} onClick={() => setOpen(true)}>
        Unlink
      </Button>
      <ConfirmDialog
        open={open}
        onOpenChange={(wanted) => wanted || busy || setOpen(false)}
        title={`Unlink ${shortAddress(wallet.address)}?`}
        description={
          wallet.isCurrent
            ? "You are signed in with this wallet, so you will be signed out. You can sign in again with another linked wallet."
            : "It can no longer sign in to this account, and its sessions end. Your balance stays here."
        }
        action="Unlink wallet"
        busy={busy}
        onConfirm={() => void confirm()}
      />
    </>
  );
}

"use client";

import { useState } from "react";
import { ShortAddress, shortAddress } from "@/components/ui/text/short-address";
import { dayText, momentText } from "@/components/ui/text/time-text";
import type { Answer } from "@/lib/console/views/answer";
import type { OwnWallet } from "@/lib/console/views/settings";
import type { NamedWallet } from "@/lib/console/views/wallet";
import { Badge } from "../../ui/badge";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { EvmMark, SolanaMark } from "../../wallet/chain-marks";
import type { SignedChallenge } from "../../wallet/wallet-types";
import { ActionButton } from "../action-button";
import { clearOnSignOut } from "../clear-on-sign-out";
import { showOutcome, useAction } from "../use-action";

type ChangeWallet = (wallet: NamedWallet, proof?: SignedChallenge) => Promise<Answer>;

interface WalletListProps {
  wallets: readonly OwnWallet[];
  unlink: ChangeWallet;
  keep: ChangeWallet;
}

/** The wallets of the account: each that stays can sign in and do everything. */
export function WalletList({ wallets, unlink, keep }: WalletListProps) {
  const staying = wallets.filter(({ leavesAt }) => leavesAt === null);
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
              {wallet.leavesAt ? <Badge tone="waiting">being unlinked</Badge> : null}
            </span>
            <span className="mt-0.5 block text-xs text-muted">
              {wallet.chain === "evm" ? "Ethereum" : "Solana"} · {wallet.leavesAt ? "unlinked on " : "linked "}
              <Moment at={wallet.leavesAt ?? wallet.linkedAt} isExact={wallet.leavesAt !== null} />
            </span>
          </span>
          {wallet.leavesAt ? <Keep wallet={wallet} keep={keep} /> : staying.length > 1 ? <Unlink wallet={wallet} unlink={unlink} /> : null}
        </li>
      ))}
    </ul>
  );
}

const Moment = ({ at, isExact }: { at: Date; isExact: boolean }) => (
  <time dateTime={at.toISOString()} title={momentText(at)}>
    {isExact ? momentText(at) : dayText(at)}
  </time>
);

const Keep = ({ wallet: { chain, address }, keep }: { wallet: OwnWallet; keep: ChangeWallet }) => (
  <ActionButton action={keep} input={{ chain, address }} done="This wallet stays linked." aria-label={`Keep ${address}`}>
    Keep
  </ActionButton>
);

function Unlink({ wallet, unlink }: { wallet: OwnWallet; unlink: ChangeWallet }) {
  const [open, setOpen] = useState(false);
  const { busy, run } = useAction();
  const confirm = async () => {
    const { chain, address } = wallet;
    const outcome = run((proof) => unlink({ chain, address }, proof));
    await showOutcome(
      wallet.isCurrent ? clearOnSignOut(outcome) : outcome,
      "This wallet will be unlinked in 24 hours. You can keep it until then.",
    );
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
          <>
            Confirm with another wallet of this account. This wallet can’t approve anything or receive withdrawals from now on, and is
            unlinked in 24 hours. Withdrawals to it or signed by it return to your balance unless they were already sent.{" "}
            {wallet.isCurrent ? "You are signed in with it, so you will be signed out." : "Its sessions end."}
          </>
        }
        action="Unlink wallet"
        busy={busy}
        onConfirm={() => void confirm()}
      />
    </>
  );
}

"use client";

import Link from "next/link";
import { useState } from "react";
import type { Refusal } from "@/lib/console/views/answer";
import { ActionLink } from "../../ui/action-link";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { Problem } from "../../ui/problem";
import { Amount } from "../../ui/text/amount";
import type { SignedChallenge } from "../../wallet/wallet-types";
import { clearOnSignOut } from "../clear-on-sign-out";
import { useAction } from "../use-action";

interface CloseAccountProps {
  /** Redirects to the sign-in page; returns only a refusal. */
  close: (proof?: SignedChallenge) => Promise<Refusal>;
  /** Nano-USD. */
  balance: bigint;
  /** It is enough to be withdrawn, which comes first. */
  mustLeave: boolean;
  disabled: boolean;
}

/** Closing the account: its effects, and the obstacles. */
export function CloseAccount({ close, balance, mustLeave, disabled }: CloseAccountProps) {
  const [open, setOpen] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const { busy, run } = useAction();
  const confirm = async () => {
    const answer = await clearOnSignOut(run(close));
    if (!answer.ok) setProblem(answer.message);
    setOpen(false);
  };
  return (
    <>
      <p className="text-sm text-muted">
        Your keys stop working and all sessions end. Alerts and personal data are deleted after seven days.{" "}
        <Link href="/docs/account#closing" className="underline underline-offset-4">
          What is kept, and why
        </Link>
      </p>
      {mustLeave ? (
        <div className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-3 rounded border border-amber-edge bg-amber-wash px-4 py-3 text-sm text-amber-ink">
          <p className="grow">
            You have <Amount nano={balance} />. Withdraw it before you close this account.
          </p>
          <ActionLink href="/withdraw">Withdraw</ActionLink>
        </div>
      ) : null}
      {problem ? (
        <div className="mt-3">
          <Problem>{problem}</Problem>
        </div>
      ) : null}
      <Button look="danger" className="mt-4" disabled={disabled || mustLeave} onClick={() => setOpen(true)}>
        Close account
      </Button>
      <ConfirmDialog
        open={open}
        onOpenChange={(wanted) => wanted || busy || setOpen(false)}
        title="Close this account?"
        description={
          <>
            {balance > 0n ? (
              <>
                Your balance of <Amount nano={balance} /> does not cover the withdrawal minimum plus the fee. It stays in the account.{" "}
              </>
            ) : null}
            Your keys and sessions end now and cannot be restored. Your destinations are notified. Your wallets stay linked: to reopen the
            account, for example when money arrives later, sign in with one of them.
          </>
        }
        action="Close account"
        busy={busy}
        onConfirm={() => void confirm()}
      />
    </>
  );
}

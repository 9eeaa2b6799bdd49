"use client";

import Link from "next/link";
import { useState } from "react";
import type { Refusal } from "@/lib/console/views/answer";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { Problem } from "../../ui/problem";
import type { SignedChallenge } from "../../wallet/wallet-types";
import { useAction } from "../use-action";

interface CloseAccountProps {
  /** Redirects to the sign-in page; returns only a refusal. */
  close: (proof?: SignedChallenge) => Promise<Refusal>;
  disabled: boolean;
}

/** Closing the account: what it does, and what hinders it. */
export function CloseAccount({ close, disabled }: CloseAccountProps) {
  const [open, setOpen] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const { busy, run } = useAction();
  const confirm = async () => {
    const answer = await run(close);
    if (!answer.ok) setProblem(answer.message);
    setOpen(false);
  };
  return (
    <>
      <p className="text-sm text-muted">
        Withdraw your balance first. Then the keys stop working, all sessions end, and alerts and personal data are erased after seven days.{" "}
        <Link href="/docs/account#closing" className="underline underline-offset-4">
          What is kept, and why
        </Link>
      </p>
      {problem ? (
        <div className="mt-3">
          <Problem>{problem}</Problem>
        </div>
      ) : null}
      <Button look="danger" className="mt-4" disabled={disabled} onClick={() => setOpen(true)}>
        Close account
      </Button>
      <ConfirmDialog
        open={open}
        onOpenChange={(wanted) => wanted || busy || setOpen(false)}
        title="Close this account?"
        description="Keys and sessions end now, and cannot be brought back. Your alerts are told. Your wallets stay linked: sign in with one of them to open the account again, for example when money arrives later."
        action="Close account"
        busy={busy}
        onConfirm={() => void confirm()}
      />
    </>
  );
}

"use client";

import { CheckIcon, DropletIcon } from "lucide-react";
import { useState } from "react";
import { toast } from "sonner";
import { formatUsd } from "@/lib/base/money";
import { Button } from "../../ui/button";

interface FaucetButtonProps {
  /** What it gives, nano-USD. */
  amount: bigint;
  onAsk: () => Promise<{ ok: true; available: bigint } | { ok: false; message: string }>;
}

/** `5` for five dollars, `0.50` for fifty cents. */
const shortUsd = (amount: bigint): string => formatUsd(amount).slice(1).replace(/\.00$/, "");

/** Asks the sandbox for money that is worth nothing. */
export function FaucetButton({ amount, onAsk }: FaucetButtonProps) {
  const [busy, setBusy] = useState(false);
  const ask = async () => {
    setBusy(true);
    try {
      const answer = await onAsk();
      if (answer.ok) {
        toast(`Sent ${shortUsd(amount)} test USDC. Available: ${formatUsd(answer.available)}`, {
          icon: <CheckIcon className="mt-0.5 size-4 text-green" />,
        });
      } else toast.error(answer.message);
    } catch {
      toast.error("The service could not be reached. Try again."); // nothing else to tell: the answer never came
    }
    setBusy(false);
  };
  return (
    <Button look="primary" busy={busy} onClick={() => void ask()} className="justify-self-start">
      {busy ? null : <DropletIcon aria-hidden="true" />} Send me {shortUsd(amount)} test USDC
    </Button>
  );
}

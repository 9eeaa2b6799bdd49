"use client";

import { CheckIcon, DropletIcon } from "lucide-react";
import { toast } from "sonner";
import { type ChainId, chainName } from "@/lib/base/chains";
import { formatShortUsd } from "@/lib/base/money";
import type { Answer } from "@/lib/console/views/answer";
import { Button } from "../../ui/button";
import { useAction } from "../use-action";
import { DEPOSIT_TOAST } from "./deposit-news";

export interface FaucetButtonProps {
  chain: ChainId;
  /** The amount of one request, nano-USD. */
  amount: bigint;
  onRequest: (wish: { chain: ChainId }) => Promise<Answer>;
}

/** `5` for five dollars, `0.50` for fifty cents. */
const shortUsd = (amount: bigint): string => formatShortUsd(amount).slice(1);

/** Requests worthless test money from the sandbox, on one of its chains. */
export function FaucetButton({ chain, amount, onRequest }: FaucetButtonProps) {
  const { busy, run } = useAction();
  const request = async () => {
    const answer = await run(() => onRequest({ chain }));
    if (!answer.ok) return void toast.error(answer.message);
    toast(`${shortUsd(amount)} test USDC is on its way on ${chainName(chain)}.`, {
      id: DEPOSIT_TOAST,
      icon: <CheckIcon className="mt-0.5 size-4 text-green" />,
    });
  };
  return (
    <Button look="primary" busy={busy} onClick={() => void request()} className="justify-self-start">
      {busy ? null : <DropletIcon aria-hidden="true" />} Send me {shortUsd(amount)} test USDC on {chainName(chain)}
    </Button>
  );
}

"use client";

import { RotateCcwIcon } from "lucide-react";
import { toast } from "sonner";
import type { Answer } from "@/lib/console/views/answer";
import { Button } from "../../ui/button";
import { useAction } from "../use-action";

interface SendAgainProps {
  deliveryId: string;
  sendAgain: (input: { deliveryId: string }) => Promise<Answer>;
}

export function SendAgain({ deliveryId, sendAgain }: SendAgainProps) {
  const { busy, run } = useAction();
  const send = async () => {
    const answer = await run(() => sendAgain({ deliveryId }));
    if (answer.ok) toast.success("On its way again, with the same ID.");
    else toast.error(answer.message);
  };
  return (
    <Button size="small" busy={busy} onClick={() => void send()} className="justify-self-start">
      {busy ? null : <RotateCcwIcon aria-hidden="true" />} Send again
    </Button>
  );
}

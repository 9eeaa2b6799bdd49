"use client";

import { MailIcon } from "lucide-react";
import { toast } from "sonner";
import { Button } from "../../ui/button";
import { useAction } from "../use-action";
import type { EndpointActions } from "./alert-actions";

interface AskAgainProps {
  endpointId: string;
  ask: EndpointActions["requestConfirmation"];
  label: string;
}

/** Sends an address another confirmation. */
export function AskAgain({ endpointId, ask, label }: AskAgainProps) {
  const { busy, run } = useAction();
  const send = async () => {
    const answer = await run(() => ask({ endpointId }));
    if (answer.ok) toast.success("Sent. Open the link in the mail.");
    else toast.error(answer.message);
  };
  return (
    <Button size="small" busy={busy} onClick={() => void send()}>
      {busy ? null : <MailIcon aria-hidden="true" />} {label}
    </Button>
  );
}

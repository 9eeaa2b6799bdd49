"use client";

import { KeyRoundIcon, ListChecksIcon, PowerIcon, PowerOffIcon, RotateCcwIcon, SendIcon, Trash2Icon } from "lucide-react";
import { useState } from "react";
import type { AlertEndpoint, EventChoice } from "@/lib/console/views/alerts";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { ActionMenu } from "../action-menu";
import { showOutcome, useAction } from "../use-action";
import type { EndpointActions } from "./alert-actions";
import { ChooseEvents, RenewSecret, ResendFailed, SendSample } from "./endpoint-dialogs";

interface EndpointMenuProps {
  item: AlertEndpoint;
  choices: readonly EventChoice[];
  actions: EndpointActions;
}

/** The actions for one endpoint. */
export function EndpointMenu({ item, choices, actions }: EndpointMenuProps) {
  const [open, setOpen] = useState<"sample" | "events" | "secret" | "resend" | "delete" | null>(null);
  const { busy, run } = useAction();
  const { id: endpointId, host, kind, state } = item;
  const isOn = state === "active" || state === "failing" || state === "resting";
  const isDisabled = state === "off" || state === "gone" || state === "failed";
  const close = () => setOpen(null);
  const switchOn = () =>
    showOutcome(
      run(() => actions.switchOn({ endpointId })),
      "Switched on. It gets events from now on.",
    );
  const switchOff = () =>
    showOutcome(
      run(() => actions.switchOff({ endpointId })),
      "Switched off. It still gets what is under way.",
    );
  const remove = async () => {
    await showOutcome(
      run(() => actions.removeEndpoint({ endpointId })),
      "Deleted.",
    );
    close();
  };
  const dialog = { item, actions, onClose: close };
  return (
    <>
      <ActionMenu
        of={host}
        busy={busy}
        items={[
          isOn && { text: "Send a sample", Icon: SendIcon, onSelect: () => setOpen("sample") },
          { text: "Choose events", Icon: ListChecksIcon, onSelect: () => setOpen("events") },
          kind === "webhook" && { text: "New secret", Icon: KeyRoundIcon, onSelect: () => setOpen("secret") },
          isOn && { text: "Resend what failed", Icon: RotateCcwIcon, onSelect: () => setOpen("resend") },
          isOn && { text: "Switch off", Icon: PowerOffIcon, onSelect: () => void switchOff() },
          isDisabled && { text: "Switch on", Icon: PowerIcon, onSelect: () => void switchOn() },
        ]}
        danger={{ text: "Delete", Icon: Trash2Icon, onSelect: () => setOpen("delete") }}
      />
      {open === "sample" ? <SendSample {...dialog} choices={choices} /> : null}
      {open === "events" ? <ChooseEvents {...dialog} choices={choices} /> : null}
      {open === "secret" ? <RenewSecret {...dialog} /> : null}
      {open === "resend" ? <ResendFailed {...dialog} /> : null}
      <ConfirmDialog
        open={open === "delete"}
        onOpenChange={(wanted) => wanted || busy || close()}
        title={`Delete ${host}?`}
        description="It still gets what is under way, and that it was deleted; then it is gone with its deliveries. This cannot be undone."
        action="Delete endpoint"
        busy={busy}
        onConfirm={() => void remove()}
      />
    </>
  );
}

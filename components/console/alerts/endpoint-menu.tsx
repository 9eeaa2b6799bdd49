"use client";

import { KeyRoundIcon, ListChecksIcon, PencilIcon, PowerIcon, PowerOffIcon, RotateCcwIcon, SendIcon, Trash2Icon } from "lucide-react";
import { useState } from "react";
import type { AlertEndpoint, EventChoice } from "@/lib/console/views/alerts";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { ActionMenu } from "../action-menu";
import { showOutcome, useAction } from "../use-action";
import type { EndpointActions } from "./alert-actions";
import { ChooseEvents, RenameEndpoint, RenewSecret, ResendFailed, SendSample } from "./endpoint-dialogs";

interface EndpointMenuProps {
  item: AlertEndpoint;
  choices: readonly EventChoice[];
  actions: EndpointActions;
}

/** The actions for one destination. */
export function EndpointMenu({ item, choices, actions }: EndpointMenuProps) {
  const [open, setOpen] = useState<"sample" | "name" | "events" | "secret" | "resend" | "delete" | null>(null);
  const { busy, run } = useAction();
  const { id: endpointId, name, kind, state } = item;
  const isOn = state === "active" || state === "failing" || state === "resting";
  const isDisabled = state === "off" || state === "gone" || state === "failed";
  const close = () => setOpen(null);
  const switchOn = () =>
    showOutcome(
      run(() => actions.switchOn({ endpointId })),
      "Turned on. It receives events from now on.",
    );
  const switchOff = () =>
    showOutcome(
      run(() => actions.switchOff({ endpointId })),
      "Turned off. Pending events are still sent.",
    );
  const remove = async () => {
    await showOutcome(
      run(() => actions.removeEndpoint({ endpointId })),
      "Destination deleted.",
    );
    close();
  };
  const dialog = { item, actions, onClose: close };
  return (
    <>
      <ActionMenu
        of={name}
        busy={busy}
        items={[
          isOn && { text: "Send a sample", Icon: SendIcon, onSelect: () => setOpen("sample") },
          { text: "Rename", Icon: PencilIcon, onSelect: () => setOpen("name") },
          { text: "Choose events", Icon: ListChecksIcon, onSelect: () => setOpen("events") },
          kind === "webhook" && { text: "New secret", Icon: KeyRoundIcon, onSelect: () => setOpen("secret") },
          isOn && { text: "Resend failed events", Icon: RotateCcwIcon, onSelect: () => setOpen("resend") },
          isOn && { text: "Turn off", Icon: PowerOffIcon, onSelect: () => void switchOff() },
          isDisabled && { text: "Turn on", Icon: PowerIcon, onSelect: () => void switchOn() },
        ]}
        danger={{ text: "Delete", Icon: Trash2Icon, onSelect: () => setOpen("delete") }}
      />
      {open === "sample" ? <SendSample {...dialog} choices={choices} /> : null}
      {open === "name" ? <RenameEndpoint {...dialog} /> : null}
      {open === "events" ? <ChooseEvents {...dialog} choices={choices} /> : null}
      {open === "secret" ? <RenewSecret {...dialog} /> : null}
      {open === "resend" ? <ResendFailed {...dialog} /> : null}
      <ConfirmDialog
        open={open === "delete"}
        onOpenChange={(wanted) => wanted || busy || close()}
        title={`Delete ${name}?`}
        description={`${isOn || state === "off" ? "Pending events are still sent, with a last one that says it was deleted. " : ""}Its delivery log is deleted too. This cannot be undone.`}
        action="Delete destination"
        busy={busy}
        onConfirm={() => void remove()}
      />
    </>
  );
}

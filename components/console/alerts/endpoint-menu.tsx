"use client";

import { EllipsisIcon, KeyRoundIcon, ListChecksIcon, PowerIcon, PowerOffIcon, RotateCcwIcon, SendIcon, Trash2Icon } from "lucide-react";
import { useState } from "react";
import { toast } from "sonner";
import type { AlertEndpoint, EventChoice } from "@/lib/console/views/alerts";
import type { Answer } from "@/lib/console/views/answer";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { Menu, MenuItem, MenuSeparator } from "../../ui/menu";
import { useAction } from "../use-action";
import type { EndpointActions } from "./alert-actions";
import { ChooseEvents, RenewSecret, ResendFailed, SendSample } from "./endpoint-dialogs";

interface EndpointMenuProps {
  item: AlertEndpoint;
  choices: readonly EventChoice[];
  actions: EndpointActions;
}

type Opened = "sample" | "events" | "secret" | "resend" | "delete" | null;

/** The actions for one endpoint. */
export function EndpointMenu({ item, choices, actions }: EndpointMenuProps) {
  const [open, setOpen] = useState<Opened>(null);
  const { busy, run } = useAction();
  const { id: endpointId, host } = item;
  const close = () => setOpen(null);
  const runAndNotify = async (action: () => Promise<Answer>, done: string) => {
    const answer = await run(action);
    if (answer.ok) toast.success(done);
    else toast.error(answer.message);
  };
  const switchOn = () => void runAndNotify(() => actions.switchOn({ endpointId }), "Switched on. It gets events from now on.");
  const switchOff = () => void runAndNotify(() => actions.switchOff({ endpointId }), "Switched off. It still gets what is under way.");
  const remove = async () => {
    await runAndNotify(() => actions.removeEndpoint({ endpointId }), "Deleted.");
    close();
  };
  return (
    <>
      <Menu
        trigger={
          <Button look="quiet" size="icon" busy={busy} aria-label={`Actions for ${host}`}>
            {busy ? null : <EllipsisIcon aria-hidden="true" />}
          </Button>
        }
      >
        <EndpointItems item={item} onOpen={setOpen} onSwitchOn={switchOn} onSwitchOff={switchOff} />
      </Menu>
      {open === "sample" ? <SendSample item={item} actions={actions} choices={choices} onClose={close} /> : null}
      {open === "events" ? <ChooseEvents item={item} actions={actions} choices={choices} onClose={close} /> : null}
      {open === "secret" ? <RenewSecret item={item} actions={actions} onClose={close} /> : null}
      {open === "resend" ? <ResendFailed item={item} actions={actions} onClose={close} /> : null}
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

interface EndpointItemsProps {
  item: AlertEndpoint;
  onOpen: (opened: Opened) => void;
  onSwitchOn: () => void;
  onSwitchOff: () => void;
}

function EndpointItems({ item: { kind, state }, onOpen, onSwitchOn, onSwitchOff }: EndpointItemsProps) {
  const isOn = state === "active" || state === "failing" || state === "resting";
  const isDisabled = state === "off" || state === "gone" || state === "failed";
  return (
    <>
      {isOn ? (
        <MenuItem onSelect={() => onOpen("sample")}>
          <SendIcon /> Send a sample
        </MenuItem>
      ) : null}
      <MenuItem onSelect={() => onOpen("events")}>
        <ListChecksIcon /> Choose events
      </MenuItem>
      {kind === "webhook" ? (
        <MenuItem onSelect={() => onOpen("secret")}>
          <KeyRoundIcon /> New secret
        </MenuItem>
      ) : null}
      {isOn ? (
        <MenuItem onSelect={() => onOpen("resend")}>
          <RotateCcwIcon /> Resend what failed
        </MenuItem>
      ) : null}
      {isOn ? (
        <MenuItem onSelect={onSwitchOff}>
          <PowerOffIcon /> Switch off
        </MenuItem>
      ) : null}
      {isDisabled ? (
        <MenuItem onSelect={onSwitchOn}>
          <PowerIcon /> Switch on
        </MenuItem>
      ) : null}
      <MenuSeparator />
      <MenuItem danger onSelect={() => onOpen("delete")}>
        <Trash2Icon /> Delete
      </MenuItem>
    </>
  );
}

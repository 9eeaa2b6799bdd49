"use client";

import { BanIcon, KeyRoundIcon, PauseIcon, PencilIcon, PlayIcon, SlidersHorizontalIcon, TimerOffIcon } from "lucide-react";
import { useState } from "react";
import type { OwnKey } from "@/lib/console/views/keys";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { ActionMenu } from "../action-menu";
import { showOutcome, useAction } from "../use-action";
import type { KeyActions, ModelChoice } from "./key-actions";
import { EditLimits, RenameKey, RotateKey } from "./key-dialogs";

interface KeyMenuProps {
  item: OwnKey;
  models: readonly ModelChoice[];
  actions: KeyActions;
  /** The account is frozen: its keys can only be paused or revoked. */
  frozen: boolean;
}

/** The actions for one key. */
export function KeyMenu({ item, models, actions, frozen }: KeyMenuProps) {
  const [open, setOpen] = useState<"rename" | "limits" | "rotate" | "revoke" | null>(null);
  const { busy, run } = useAction();
  const { keyId, name, state } = item;
  const close = () => setOpen(null);
  const pause = () =>
    showOutcome(
      run(() => actions.pause({ keyId })),
      "Paused. Calls with this key get 401 until you resume it.",
    );
  const resume = () =>
    showOutcome(
      run((proof) => actions.resume({ keyId }, proof)),
      "Resumed. Calls with this key work again.",
    );
  const endOldSecret = () =>
    showOutcome(
      run(() => actions.endOldSecret({ keyId })),
      "Ended. Calls with the old secret now get 401.",
    );
  const revoke = async () => {
    await showOutcome(
      run(() => actions.revoke({ keyId })),
      "Revoked. Calls with this key now get 401.",
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
          !frozen && { text: "Rename", Icon: PencilIcon, onSelect: () => setOpen("rename") },
          !frozen && { text: "Edit limits", Icon: SlidersHorizontalIcon, onSelect: () => setOpen("limits") },
          !frozen && { text: "New secret", Icon: KeyRoundIcon, onSelect: () => setOpen("rotate") },
          item.oldSecret !== null && { text: "End the old secret", Icon: TimerOffIcon, onSelect: () => void endOldSecret() },
          state === "active" && { text: "Pause", Icon: PauseIcon, onSelect: () => void pause() },
          state === "paused" && !frozen && { text: "Resume", Icon: PlayIcon, onSelect: () => void resume() },
        ]}
        danger={{ text: "Revoke", Icon: BanIcon, onSelect: () => setOpen("revoke") }}
      />
      {open === "rename" ? <RenameKey {...dialog} /> : null}
      {open === "limits" ? <EditLimits {...dialog} models={models} /> : null}
      {open === "rotate" ? <RotateKey {...dialog} /> : null}
      <ConfirmDialog
        open={open === "revoke"}
        onOpenChange={(wanted) => wanted || busy || close()}
        title={`Revoke “${name}”?`}
        description="Requests with this key will fail with 401 within a second. This cannot be undone."
        action="Revoke key"
        busy={busy}
        onConfirm={() => void revoke()}
      />
    </>
  );
}

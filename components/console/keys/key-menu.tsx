"use client";

import { BanIcon, EllipsisIcon, KeyRoundIcon, PauseIcon, PencilIcon, PlayIcon, SlidersHorizontalIcon, TimerOffIcon } from "lucide-react";
import { useState } from "react";
import { toast } from "sonner";
import type { Answer } from "@/lib/console/views/answer";
import type { OwnKey } from "@/lib/console/views/keys";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { Menu, MenuItem, MenuSeparator } from "../../ui/menu";
import type { SignedChallenge } from "../../wallet/wallet-types";
import { useConfirmedAction } from "../step-up/step-up";
import { EditLimits } from "./edit-limits";
import type { KeyActions, ModelChoice } from "./key-actions";
import { RenameKey } from "./rename-key";
import { RotateKey } from "./rotate-key";

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
  const { busy, run } = useConfirmedAction();
  const { keyId, name, state } = item;
  const close = () => setOpen(null);

  const runAndNotify = async (action: (proof?: SignedChallenge) => Promise<Answer>, done: string) => {
    const answer = await run(action);
    if (answer.ok) toast.success(done);
    else toast.error(answer.message);
  };
  const pause = () => runAndNotify(() => actions.pause({ keyId }), "Paused. Calls with this key get 401 until you resume it.");
  const resume = () => runAndNotify((proof) => actions.resume({ keyId }, proof), "Resumed. Calls with this key work again.");
  const endOldSecret = () => runAndNotify(() => actions.endOldSecret({ keyId }), "Ended. Calls with the old secret now get 401.");
  const revoke = async () => {
    await runAndNotify(() => actions.revoke({ keyId }), "Revoked. Calls with this key now get 401.");
    close();
  };

  return (
    <>
      <Menu
        trigger={
          <Button look="quiet" size="icon" busy={busy} aria-label={`Actions for ${name}`}>
            {busy ? null : <EllipsisIcon aria-hidden="true" />}
          </Button>
        }
      >
        {frozen ? null : (
          <>
            <MenuItem onSelect={() => setOpen("rename")}>
              <PencilIcon /> Rename
            </MenuItem>
            <MenuItem onSelect={() => setOpen("limits")}>
              <SlidersHorizontalIcon /> Edit limits
            </MenuItem>
            <MenuItem onSelect={() => setOpen("rotate")}>
              <KeyRoundIcon /> New secret
            </MenuItem>
          </>
        )}
        {item.oldSecret ? (
          <MenuItem onSelect={() => void endOldSecret()}>
            <TimerOffIcon /> End the old secret
          </MenuItem>
        ) : null}
        {state === "active" ? (
          <MenuItem onSelect={() => void pause()}>
            <PauseIcon /> Pause
          </MenuItem>
        ) : null}
        {state === "paused" && !frozen ? (
          <MenuItem onSelect={() => void resume()}>
            <PlayIcon /> Resume
          </MenuItem>
        ) : null}
        {frozen && state !== "active" ? null : <MenuSeparator />}
        <MenuItem danger onSelect={() => setOpen("revoke")}>
          <BanIcon /> Revoke
        </MenuItem>
      </Menu>
      {open === "rename" ? <RenameKey item={item} rename={actions.rename} onClose={close} /> : null}
      {open === "limits" ? <EditLimits item={item} models={models} changeLimits={actions.changeLimits} onClose={close} /> : null}
      {open === "rotate" ? <RotateKey item={item} rotate={actions.rotate} onClose={close} /> : null}
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

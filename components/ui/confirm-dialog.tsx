"use client";

import type { ReactNode } from "react";
import { Button } from "./button";
import { Dialog } from "./dialog";

interface ConfirmDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  /** The consequences of the action. */
  description: ReactNode;
  /** A verb: "Revoke key". */
  action: string;
  /** The label of the other button. */
  cancel?: string;
  busy?: boolean;
  /** Further fields to decide on. */
  children?: ReactNode;
  onConfirm: () => void;
}

/** Asks for confirmation of an irreversible action. */
export function ConfirmDialog({
  open,
  onOpenChange,
  title,
  description,
  action,
  cancel = "Cancel",
  busy = false,
  children,
  onConfirm,
}: ConfirmDialogProps) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={title} description={description}>
      {children}
      <div className="flex justify-end gap-3">
        <Button data-first-focus onClick={() => onOpenChange(false)}>
          {cancel}
        </Button>
        <Button look="danger" busy={busy} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}

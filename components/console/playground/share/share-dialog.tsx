"use client";

import { CopyButton } from "../../../ui/copy-button";
import { Dialog } from "../../../ui/dialog";
import { Problem } from "../../../ui/problem";
import type { Setup } from "../chat/setup";
import { writeSetupLink } from "./setup-link";

interface ShareDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  setup: Setup;
}

/** A link that opens the playground with this set-up. */
export function ShareDialog({ open, onOpenChange, setup }: ShareDialogProps) {
  const written = open ? writeSetupLink(window.location.href, setup) : null;
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Share set-up"
      description="The link opens the playground with this model, system message, settings, tools and schema. It holds no key and no conversation, and no server reads it."
    >
      {written?.ok ? (
        <div className="flex items-start gap-2 rounded border border-line bg-panel p-3">
          <p className="max-h-40 min-w-0 flex-1 overflow-y-auto font-mono text-xs leading-5 wrap-anywhere" data-testid="setup-link">
            {written.link}
          </p>
          <CopyButton text={written.link} label="Copy the link" />
        </div>
      ) : written ? (
        <Problem>{written.problem}</Problem>
      ) : null}
    </Dialog>
  );
}

"use client";

import { type ReactNode, useState } from "react";
import { FoldSummary } from "../../ui/fold-summary";

interface AdvancedProps {
  /** As the dialog opens: a draft that is brought back shows its settings. */
  isSet: boolean;
  isWrong: boolean;
  children: ReactNode;
}

/** The settings that most keys leave as they are, folded away. */
export function Advanced({ isSet, isWrong, children }: AdvancedProps) {
  const [isOpen, setOpen] = useState(isSet);
  return (
    // Controlled: a wrong field in it is shown at once.
    <details
      open={isOpen || isWrong}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      className="group border-t border-line pt-1"
    >
      <FoldSummary className="min-h-11 gap-2 text-sm font-medium">
        Advanced
        <span className="font-normal text-muted group-open:hidden">Expiry, models, permissions, alerts</span>
      </FoldSummary>
      <div className="grid gap-5 pt-3 pb-1">{children}</div>
    </details>
  );
}

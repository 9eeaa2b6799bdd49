"use client";

import { ChevronRightIcon } from "lucide-react";
import { type ReactNode, useState } from "react";

interface AdvancedProps {
  /** As the dialog opens: a draft that is brought back shows what was set. */
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
      <summary className="flex min-h-11 cursor-pointer list-none items-center gap-2 text-sm font-medium [&::-webkit-details-marker]:hidden">
        <ChevronRightIcon aria-hidden="true" className="size-4 text-muted transition group-open:rotate-90" />
        Advanced
        <span className="font-normal text-muted group-open:hidden">Expiry, models, permissions, alerts</span>
      </summary>
      <div className="grid gap-5 pt-3 pb-1">{children}</div>
    </details>
  );
}

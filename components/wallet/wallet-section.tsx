"use client";

import { WalletIcon } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Button } from "../ui/button";
import { useFocusOnStep } from "../ui/use-focus-on-step";

interface WalletSectionProps {
  /** A verb and its wallet: "Send from my wallet". */
  title: string;
  /** The heading level of its title. */
  Heading: "h2" | "h3";
  /** The wallet's task: rendered, and so loaded, on demand. */
  children: ReactNode;
}

/** Paying from a wallet in this browser: a button until it is pressed. */
export function WalletSection({ title, Heading, children }: WalletSectionProps) {
  const [open, setOpen] = useState(false);
  const part = useFocusOnStep(open ? "paying" : "closed");
  if (!open) {
    return (
      <Button ref={part} onClick={() => setOpen(true)}>
        <WalletIcon aria-hidden="true" /> {title}
      </Button>
    );
  }
  return (
    <section ref={part} tabIndex={-1} aria-label={title} className="basis-full rounded border border-edge p-4 outline-none">
      <div className="mb-4 flex items-center justify-between gap-4">
        <Heading className="text-sm font-medium">{title}</Heading>
        <Button look="quiet" size="small" onClick={() => setOpen(false)}>
          Close
        </Button>
      </div>
      {children}
    </section>
  );
}

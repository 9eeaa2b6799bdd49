"use client";

import { WalletIcon } from "lucide-react";
import dynamic from "next/dynamic";
import { useState } from "react";
import { Button } from "../../ui/button";
import { Skeleton } from "../../ui/skeleton";
import { useFocusOnStep } from "../../ui/use-focus-on-step";
import type { WalletPaymentProps } from "./wallet-payment";

const Loaded = dynamic(() => import("./wallet-payment").then((module) => module.WalletPayment), {
  ssr: false,
  loading: () => (
    <div role="status" aria-label="Looking for wallets in this browser" className="grid gap-4">
      <Skeleton className="h-10 rounded" />
      <Skeleton className="h-10 w-36 rounded" />
    </div>
  ),
});

/** Where one pays from a wallet of this browser: a button, until somebody wants to. */
export function SendFromWallet(payment: WalletPaymentProps) {
  const [open, setOpen] = useState(false);
  const part = useFocusOnStep(open ? "paying" : "closed");
  if (!open) {
    return (
      <Button ref={part} onClick={() => setOpen(true)}>
        <WalletIcon aria-hidden="true" /> Send from my wallet
      </Button>
    );
  }
  return (
    <section ref={part} tabIndex={-1} aria-label="Send from my wallet" className="basis-full rounded border border-edge p-4 outline-none">
      <div className="mb-4 flex items-center justify-between gap-4">
        <h3 className="text-sm font-medium">Send from my wallet</h3>
        <Button look="quiet" size="small" onClick={() => setOpen(false)}>
          Close
        </Button>
      </div>
      <Loaded {...payment} />
    </section>
  );
}

"use client";

import { WalletIcon } from "lucide-react";
import dynamic from "next/dynamic";
import { useState } from "react";
import { Button } from "../../ui/button";
import { Skeleton } from "../../ui/skeleton";
import { useFocusOnStep } from "../../ui/use-focus-on-step";
import type { WalletPayProps } from "./wallet-pay";

const Loaded = dynamic(() => import("./wallet-pay").then((module) => module.WalletPay), {
  ssr: false,
  loading: () => (
    <div role="status" aria-label="Looking for wallets in this browser" className="grid gap-4">
      <Skeleton className="h-10 rounded" />
      <Skeleton className="h-10 w-36 rounded" />
    </div>
  ),
});

/** Where a wallet of this browser pays for the prompt: a button, until somebody wants to. */
export function PayFromWallet(props: WalletPayProps) {
  const [open, setOpen] = useState(false);
  const part = useFocusOnStep(open ? "paying" : "closed");
  if (!open) {
    return (
      <Button ref={part} onClick={() => setOpen(true)}>
        <WalletIcon aria-hidden="true" /> Pay with my wallet
      </Button>
    );
  }
  return (
    <section ref={part} tabIndex={-1} aria-label="Pay with my wallet" className="basis-full rounded border border-edge p-4 outline-none">
      <div className="mb-4 flex items-center justify-between gap-4">
        <h2 className="text-sm font-medium">Pay with my wallet</h2>
        <Button look="quiet" size="small" onClick={() => setOpen(false)}>
          Close
        </Button>
      </div>
      <Loaded {...props} />
    </section>
  );
}

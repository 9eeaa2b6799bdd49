"use client";

import { PlusIcon } from "lucide-react";
import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { toast } from "sonner";
import { Button } from "../../ui/button";
import { useFocusOnStep } from "../../ui/use-focus-on-step";
import type { WalletLinkingProps } from "../../wallet/link-wallet";
import { WalletChoicesLoading } from "../../wallet/wallet-loading";

const WalletLinking = dynamic(() => import("../../wallet/link-wallet").then((module) => module.WalletLinking), {
  ssr: false,
  loading: WalletChoicesLoading,
});

interface LinkWalletSlotProps extends Omit<WalletLinkingProps, "onLinked"> {
  disabled: boolean;
}

/** Linking another wallet: a button until it is pressed. */
export function LinkWalletSlot({ disabled, ...linking }: LinkWalletSlotProps) {
  const [open, setOpen] = useState(false);
  const part = useFocusOnStep(open ? "linking" : "closed");
  const router = useRouter();
  const linked = (absorbed: boolean) => {
    setOpen(false);
    toast.success(absorbed ? "Wallet linked. Its unused account was merged into this one." : "Wallet linked. You can now sign in with it.");
    router.refresh();
  };
  if (!open) {
    return (
      <Button ref={part} className="mt-4" disabled={disabled} onClick={() => setOpen(true)}>
        <PlusIcon aria-hidden="true" /> Link another wallet
      </Button>
    );
  }
  return (
    <section ref={part} tabIndex={-1} aria-label="Link another wallet" className="mt-4 rounded border border-edge p-4 outline-none">
      <WalletLinking {...linking} onLinked={linked} />
      <Button look="quiet" size="small" className="mt-4" onClick={() => setOpen(false)}>
        Cancel
      </Button>
    </section>
  );
}

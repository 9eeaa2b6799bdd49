import { Problem } from "@/components/ui/problem";
import { ShortAddress } from "@/components/ui/text/short-address";
import type { PaymentState } from "./use-payment";

/** The step that a requested transaction waits for, or its problem. */
export function PaymentProgress({ state, chainName }: { state: PaymentState; chainName: string }) {
  return (
    <div aria-live="polite" className="text-sm empty:hidden">
      {state.step === "signing" ? <p>Confirm in your wallet.</p> : null}
      {state.step === "sent" ? (
        <p className="flex flex-wrap items-center gap-x-2">
          Sent. Waiting for {chainName} to confirm: <ShortAddress value={state.transaction} what="transaction" />
        </p>
      ) : null}
      {state.step === "failed" ? <Problem>{state.message}</Problem> : null}
    </div>
  );
}

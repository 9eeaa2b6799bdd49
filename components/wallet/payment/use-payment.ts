"use client";

import { useState } from "react";
import type { PayingWallet } from "./paying-wallet";
import { paymentWords } from "./payment-error";

export type PaymentState =
  | { step: "ready" }
  | { step: "signing" }
  | { step: "sent" | "paid"; transaction: string }
  | { step: "failed"; message: string };

/** Runs one payment at a time. */
export function usePayment({ pay }: Pick<PayingWallet, "pay">) {
  const [state, setState] = useState<PaymentState>({ step: "ready" });
  const run = async (units: bigint): Promise<void> => {
    let transaction = "";
    const sent = (name: string) => {
      transaction = name;
      setState({ step: "sent", transaction });
    };
    setState({ step: "signing" });
    try {
      await pay(units, sent);
      setState({ step: "paid", transaction });
    } catch (error) {
      setState({ step: "failed", message: paymentWords(error) });
    }
  };
  return { state, pay: run, again: () => setState({ step: "ready" }) };
}

"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { PaymentProblem } from "@/components/wallet/payment/paying-wallet";
import type { Payer } from "@/components/wallet/payment/use-payer";
import { wordsFor } from "../../../wallet/wallet-error";
import type { SignedPayment } from "../run";
import type { DrawPayment } from "./pay-types";

/** A payment is valid for five minutes from the time in its text; it is redrafted well before that. */
const DRAWN_EVERY_MS = 120_000;

interface SignedPaymentOptions {
  payer: Payer;
  /** USDC cents; null while no price is known. */
  cents: number | null;
  draw: DrawPayment;
  onSigned: (payment: SignedPayment) => void;
}

/** The current draft of the payment for a wallet to sign, and its signing. */
export function useSignedPayment({ payer, cents, draw, onSigned }: SignedPaymentOptions) {
  const [isSigning, setSigning] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const from = payer.handle.wallet?.address ?? null;
  const drawn = useQuery({
    queryKey: ["payment", from, cents],
    queryFn: () => (from && cents !== null ? draw({ from, cents }) : null),
    // The page shows the same text as the wallet: it must not change while the wallet is open.
    enabled: from !== null && cents !== null && !isSigning,
    refetchInterval: DRAWN_EVERY_MS,
    // Otherwise it would be redrafted as soon as signing ends.
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    gcTime: 0,
  });
  const payment = drawn.data?.ok ? drawn.data.payment : null;

  const sign = async (): Promise<void> => {
    if (!payment) return;
    setSigning(true);
    setProblem(null);
    try {
      const { text, ...fields } = payment;
      onSigned({ ...fields, signature: await payer.sign(text) });
    } catch (error) {
      setProblem(error instanceof PaymentProblem ? error.message : wordsFor(error));
    }
    // Each payment has its own number: the next is a new draft, and nothing can be signed until it has replaced this one.
    await drawn.refetch();
    setSigning(false);
  };
  const refusal = drawn.data && !drawn.data.ok ? drawn.data.message : null;
  const lost = drawn.isError ? "The service did not answer. Check your connection, then try again." : null;
  return { payment, isSigning, problem: problem ?? refusal ?? lost, sign };
}

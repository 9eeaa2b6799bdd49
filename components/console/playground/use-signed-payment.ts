"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { PaymentProblem } from "@/components/wallet/payment/paying-wallet";
import type { Payer } from "@/components/wallet/payment/use-payer";
import { wordsFor } from "../../wallet/wallet-error";
import type { DrawPayment } from "./pay-types";
import type { SignedPayment } from "./run";

/** A payment counts for five minutes from the time in its text; well before that it is drawn up anew. */
const DRAWN_EVERY_MS = 120_000;

interface SignedPaymentOptions {
  payer: Payer;
  /** USDC cents; null while no price is known. */
  cents: number | null;
  draw: DrawPayment;
  onSigned: (payment: SignedPayment) => void;
}

/** The payment that a wallet is to sign, as it stands, and its signing. */
export function useSignedPayment({ payer, cents, draw, onSigned }: SignedPaymentOptions) {
  const [isSigning, setSigning] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const from = payer.handle.wallet?.address ?? null;
  const drawn = useQuery({
    queryKey: ["payment", from, cents],
    queryFn: () => (from && cents !== null ? draw({ from, cents }) : null),
    // What is on the page is what the wallet shows: it does not change while that is open.
    enabled: from !== null && cents !== null && !isSigning,
    refetchInterval: DRAWN_EVERY_MS,
    // Or it would be drawn up once more when signing is over.
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
    // Each payment has a number of its own: the next one is another, and nobody signs while it takes the place of this one.
    await drawn.refetch();
    setSigning(false);
  };
  const refusal = drawn.data && !drawn.data.ok ? drawn.data.message : null;
  const lost = drawn.isError ? "The service did not answer. Check your connection, then try again." : null;
  return { payment, isSigning, problem: problem ?? refusal ?? lost, sign };
}

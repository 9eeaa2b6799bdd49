"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { toast } from "sonner";
import type { Answer, Refusal } from "@/lib/console/views/answer";
import type { Chain } from "@/lib/console/views/chain";
import type { AllowanceView, Destination, DrawnOrder } from "@/lib/console/views/withdraw";
import { useAction } from "../use-action";
import { OrderReview } from "./order-review";
import type { OrderSigningProps } from "./sign-order";
import { type Draft, firstPayable, WithdrawForm } from "./withdraw-form";

interface WithdrawBoxProps extends Omit<OrderSigningProps, "order" | "onTaken"> {
  destinations: readonly Destination[];
  allowance: AllowanceView;
  least: bigint;
  highestFee: Readonly<Record<Chain, bigint>>;
  start: (wish: Draft) => Promise<Answer<{ order: DrawnOrder }>>;
  nowMs: number;
}

/** Withdrawing: enter, review, sign. The entries stay when any step is refused. */
export function WithdrawBox({ destinations, allowance, least, highestFee, start, nowMs, ...signing }: WithdrawBoxProps) {
  const [draft, setDraft] = useState<Draft>(() => firstDraft(destinations));
  const [order, setOrder] = useState<DrawnOrder | null>(null);
  const [refused, setRefused] = useState<Refusal | null>(null);
  const { busy, run } = useAction();
  const router = useRouter();
  const review = async () => {
    const answer = await run(() => start(draft));
    setRefused(answer.ok ? null : answer);
    if (answer.ok) setOrder(answer.order);
  };
  const taken = () => {
    toast.success("Withdrawing. It shows below how far it is.");
    setOrder(null);
    setDraft({ ...draft, amount: "" });
    router.refresh();
  };
  if (order) return <OrderReview order={order} onBack={() => setOrder(null)} onTaken={taken} {...signing} />;
  const change = (next: Draft) => {
    setDraft(next);
    setRefused(null);
  };
  return (
    <WithdrawForm
      {...{ draft, destinations, allowance, least, highestFee, busy, refused, nowMs }}
      onChange={change}
      onReview={() => void review()}
    />
  );
}

/** Starts on a chain with a payable wallet. */
function firstDraft(destinations: readonly Destination[]): Draft {
  const chain = firstPayable(destinations, "base") === "" && firstPayable(destinations, "solana") !== "" ? "solana" : "base";
  return { chain, destination: firstPayable(destinations, chain), amount: "" };
}

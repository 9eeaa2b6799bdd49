"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { toast } from "sonner";
import type { ChainId } from "@/lib/base/chains";
import type { Answer, Refusal } from "@/lib/console/views/answer";
import type { AllowanceView, Destination, DrawnOrder, SolanaFees } from "@/lib/console/views/withdraw";
import { useAction } from "../use-action";
import { AllowancePanel } from "./allowance-panel";
import { mostToArrive } from "./amounts";
import { OrderReview } from "./order-review";
import type { OrderSigningProps } from "./sign-order";
import { type Draft, firstPayable, WithdrawForm } from "./withdraw-form";
import { WITHDRAWAL_TOAST } from "./withdrawal-list";

interface WithdrawBoxProps extends Omit<OrderSigningProps, "order" | "onTaken"> {
  destinations: readonly Destination[];
  allowance: AllowanceView;
  least: bigint;
  highestFee: Readonly<Record<ChainId, bigint>>;
  solanaFees: SolanaFees;
  start: (wish: Draft) => Promise<Answer<{ order: DrawnOrder }>>;
  nowMs: number;
}

/** Withdrawing: enter, review, sign. The entries stay when any step is refused. */
export function WithdrawBox({ destinations, allowance, least, highestFee, solanaFees, start, nowMs, ...signing }: WithdrawBoxProps) {
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
    toast.success("Withdrawal requested. Track it below.", { id: WITHDRAWAL_TOAST });
    setOrder(null);
    setDraft({ ...draft, amount: "" });
    router.refresh();
  };
  const change = (next: Draft) => {
    setDraft(next);
    setRefused(null);
  };
  const { chain, destination } = draft;
  const top = highestFee[chain];
  // On Base the fee is the same for every wallet.
  const fee = chain === "base" ? top : (destinations.find(({ address }) => address === destination)?.fee ?? null);
  const most = mostToArrive({ chain, allowance, fee: fee ?? top, least });
  return (
    <div className="grid gap-10 md:grid-cols-[minmax(0,480px)_minmax(0,1fr)] md:gap-16">
      {order ? (
        <OrderReview order={order} onBack={() => setOrder(null)} onTaken={taken} {...signing} />
      ) : (
        <WithdrawForm
          draft={draft}
          destinations={destinations}
          allowance={allowance}
          least={least}
          most={most}
          fee={fee}
          highestFee={top}
          solanaFees={solanaFees}
          busy={busy}
          refused={refused}
          nowMs={nowMs}
          onChange={change}
          onReview={() => void review()}
        />
      )}
      <AllowancePanel chain={chain} most={most} allowance={allowance} />
    </div>
  );
}

/** Starts on a chain with a payable wallet. */
function firstDraft(destinations: readonly Destination[]): Draft {
  const chain = firstPayable(destinations, "base") === "" && firstPayable(destinations, "solana") !== "" ? "solana" : "base";
  return { chain, destination: firstPayable(destinations, chain), amount: "" };
}

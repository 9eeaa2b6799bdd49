import type { PaymentView } from "@/lib/console/views/payments";
import { Badge } from "../../ui/badge";
import { chainNames } from "../../ui/chain-names";

type Tone = "plain" | "good" | "waiting" | "bad";

interface Words {
  tone: Tone;
  word: string;
  note?: string;
}

/** Something about it may still change by itself. */
export const isOpen = ({ state, cost }: PaymentView): boolean => state === "claimed" || cost === null;

/** Where a payment stands, in a word, and what that means where the word does not say it. */
export function PaymentState({ row }: { row: PaymentView }) {
  const { tone, word, note } = wordsOf(row);
  return (
    <span className="flex flex-wrap items-baseline gap-x-2.5 gap-y-0.5 max-md:justify-end">
      <Badge tone={tone}>{word}</Badge>
      {note ? <span className="text-xs text-muted max-md:text-right">{note}</span> : null}
    </span>
  );
}

function wordsOf({ state, chain, failure, cost, changeBelongsTo }: PaymentView): Words {
  switch (state) {
    case "claimed":
      return { tone: "waiting", word: "settling", note: `waits for ${chainNames[chain]}` };
    case "paid":
      if (cost === null) return { tone: "good", word: "paid", note: "its answer is being written" };
      if (cost > 0n) return { tone: "good", word: "paid" };
      return {
        tone: "good",
        word: "paid",
        note: `no answer was charged: all of it is ${changeBelongsTo === "account" ? "in your balance" : "a credit"}`,
      };
    case "covered":
      return { tone: "plain", word: "from credit", note: "nothing left the wallet" };
    case "failed":
      return { tone: "bad", word: "not paid", note: failures[failure ?? ""] ?? "the chain refused it" };
    case "reversed":
      return { tone: "bad", word: "reversed", note: `${chainNames[chain]} dropped it` };
  }
}

const failures: Readonly<Record<string, string>> = {
  expired: "it came too late",
  allowance_too_low: "the allowance was too low",
  wallet_balance_too_low: "the wallet had too little USDC",
  bad_signature: "its signature was not the wallet's",
};

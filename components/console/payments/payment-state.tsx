import type { PaymentView } from "@/lib/console/views/payments";
import { chainNames } from "../../ui/chain-names";
import { StateOf, type StateWords } from "../money-list";

/** True while the payment may still change without the owner. */
export const isOpen = ({ state, cost }: PaymentView): boolean => state === "claimed" || cost === null;

/** A payment's state in a word, with an explanation where the word needs one. */
export const PaymentState = ({ row }: { row: PaymentView }) => <StateOf words={wordsOf(row)} />;

function wordsOf({ state, chain, failure, cost, changeBelongsTo }: PaymentView): StateWords {
  switch (state) {
    case "claimed":
      return { tone: "waiting", word: "settling", note: `waiting for ${chainNames[chain]}` };
    case "paid":
      if (cost === null) return { tone: "good", word: "paid", note: "answer in progress" };
      if (cost > 0n) return { tone: "good", word: "paid" };
      return {
        tone: "good",
        word: "paid",
        note: `nothing was charged; all of it is ${changeBelongsTo === "account" ? "in your balance" : "a wallet credit"}`,
      };
    case "covered":
      return { tone: "plain", word: "from credit", note: "nothing was taken from the wallet" };
    case "failed":
      return { tone: "bad", word: "not paid", note: failures[failure ?? ""] ?? "the transaction failed" };
    case "reversed":
      return { tone: "bad", word: "reversed", note: `dropped by ${chainNames[chain]}` };
  }
}

const failures: Readonly<Record<string, string>> = {
  expired: "it expired",
  allowance_too_low: "the allowance was too low",
  wallet_balance_too_low: "not enough USDC in the wallet",
  bad_signature: "the signature did not match the wallet",
};

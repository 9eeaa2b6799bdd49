import type { WithdrawalView } from "@/lib/console/views/withdraw";
import { chainNames, otherChain } from "../../ui/chain-names";
import { StateOf, type StateWords } from "../money-list";

export const isOpen = ({ state }: WithdrawalView): boolean => !["final", "cancelled", "refused", "failed"].includes(state);

/** Nothing is signed for it yet. */
export const isCancellable = ({ state }: WithdrawalView): boolean => state === "awaiting_approval" || state === "approved";

/** A withdrawal's state in a word, with an explanation where the word needs one. */
export const WithdrawalState = ({ row }: { row: WithdrawalView }) => <StateOf words={wordsOf(row)} className="items-center gap-y-1" />;

function wordsOf(row: WithdrawalView): StateWords {
  switch (row.state) {
    case "awaiting_approval":
      return { tone: "waiting", word: "waiting for approval", note: "by whoever runs this service" };
    case "approved":
      return waitingWords(row);
    case "signed":
    case "sent":
      return { tone: "waiting", word: "on its way", note: `waits for a block of ${chainNames[row.chain]}` };
    case "confirmed":
      return { tone: "waiting", word: "confirmed", note: "it is there; final in a moment" };
    case "final":
      return { tone: "good", word: "paid", note: row.transaction ? null : "in a transaction that somebody else sent" };
    case "cancelled":
      return { tone: "plain", word: "cancelled", note: "the money is back" };
    case "refused":
      return { tone: "bad", word: "refused", note: `${row.reason ?? ""} The money is back.`.trim() };
    case "failed":
      return { tone: "bad", word: "not paid", note: `${row.reason ?? ""} The money is back.`.trim() };
  }
}

function waitingWords({ waitsFor, chain }: WithdrawalView): StateWords {
  switch (waitsFor) {
    case null:
      return { tone: "waiting", word: "requested", note: "is signed in a moment" };
    case "funds":
      return {
        tone: "waiting",
        word: "waiting for funds",
        note: `USDC is brought to ${chainNames[chain]}; or cancel, and choose ${chainNames[otherChain(chain)]}`,
      };
    case "chain":
      return { tone: "waiting", word: "waiting for the chain", note: `${chainNames[chain]} takes nothing now; tried again and again` };
    case "reserves":
      return { tone: "waiting", word: "paused", note: "payouts are stopped for now" };
    case "frozen":
      return { tone: "waiting", word: "paused", note: "the account is frozen" };
    case "limit":
      return { tone: "waiting", word: "waiting", note: "this service has paid out its limit of a day" };
    case "signature":
      return { tone: "bad", word: "stopped", note: "its signature does not hold any more: cancel it and sign anew" };
  }
}

import { momentText } from "@/components/ui/text/time-text";
import { chainName, otherChains } from "@/lib/base/chains";
import { formatUsd } from "@/lib/base/money";
import type { WithdrawalView } from "@/lib/console/views/withdraw";
import { StateOf, type StateWords } from "../money-list";

export const isOpen = ({ state }: WithdrawalView): boolean => !["final", "cancelled", "refused", "failed"].includes(state);

/** Nothing is signed for it yet. */
export const isCancellable = ({ state }: WithdrawalView): boolean => state === "awaiting_approval" || state === "approved";

/** A withdrawal's state in a word, with an explanation where the word needs one. */
export const WithdrawalState = ({ row }: { row: WithdrawalView }) => <StateOf words={wordsOf(row)} className="items-center gap-y-1" />;

function wordsOf(row: WithdrawalView): StateWords {
  switch (row.state) {
    case "awaiting_approval":
      return { tone: "waiting", word: "waiting for approval", note: "larger amounts need manual approval" };
    case "approved":
      return waitingWords(row);
    case "signed":
    case "sent":
      return { tone: "waiting", word: "on its way", note: `waiting for ${chainName(row.chain)} to confirm` };
    case "confirmed":
      return { tone: "waiting", word: "confirmed", note: `in your wallet; waiting for ${chainName(row.chain)} to make it final` };
    case "final":
      return { tone: "good", word: "paid", note: row.transaction ? null : "its transaction is not known" };
    case "cancelled":
      return { tone: "plain", word: "cancelled", note: endText(row) };
    case "refused":
      return { tone: "bad", word: "refused", note: endText(row) };
    case "failed":
      return { tone: "bad", word: "not paid", note: endText(row) };
  }
}

/** The fee comes back with the amount. */
function endText({ reason, amount, fee }: WithdrawalView): string {
  const back = `${formatUsd(amount + fee)} is back in your balance`;
  return reason ? `${reason.replace(/\.$/, "")}. ${back}.` : back;
}

function waitingWords({ waitsFor, chain, ahead, payFrom }: WithdrawalView): StateWords {
  switch (waitsFor) {
    case null:
      return { tone: "waiting", word: "requested", note: "processing" };
    case "funds":
      return {
        tone: "waiting",
        word: "waiting for funds",
        note: `gathering USDC on ${chainName(chain)}; or cancel and choose ${otherChains(chain).map(chainName).join(" or ")}`,
      };
    case "chain":
      return { tone: "waiting", word: "waiting for the network", note: `${chainName(chain)} does not respond; we keep trying` };
    case "reserves":
      return { tone: "waiting", word: "paused", note: "payouts are on hold" };
    case "frozen":
      return { tone: "waiting", word: "paused", note: "this account is frozen" };
    case "limit":
      return { tone: "waiting", word: "waiting for its turn", note: turnText(ahead) };
    case "waiting_time":
      return { tone: "waiting", word: "waiting", note: `by your own rules, until ${payFrom ? momentText(payFrom) : "its time"}` };
    case "signer":
      return { tone: "waiting", word: "paused", note: "signing is paused; it is paid as soon as signing resumes" };
    case "fees":
      return {
        tone: "waiting",
        word: "waiting",
        note: "our budget for network fees is used up for now; it is paid as soon as there is more",
      };
    case "approval":
      return { tone: "waiting", word: "waiting for approval", note: "it needs manual approval" };
    case "wallet":
      return { tone: "waiting", word: "waiting", note: "the network does not confirm your wallet’s signature yet; we keep asking" };
    case "signature":
      return { tone: "bad", word: "stopped", note: "the signature is no longer valid; cancel and sign again" };
  }
}

function turnText(ahead: WithdrawalView["ahead"]): string {
  const why = "the service has reached its 24-hour limit";
  if (!ahead || ahead.count === 0) return `${why}; this one is next`;
  return `${why}; ${ahead.count} ahead of this one, ${formatUsd(ahead.amount)} in total`;
}

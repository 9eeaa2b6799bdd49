// The state of reserves as a sentence.

import { chainName } from "@/lib/base/chains";
import type { Reserves } from "@/lib/console/views/reserves";

interface Sentence {
  tone: "good" | "weak" | "bad";
  text: string;
  detail: string;
}

/** The summary, and its consequence. */
export function reservesSentence({ state, unknown, figures }: Reserves): Sentence {
  switch (state) {
    case "covered":
      return {
        tone: "good",
        text: "Fully backed",
        detail: "We hold at least as much USDC as we owe. Checked about every 30 seconds on both chains and in our ledger.",
      };
    case "deficit":
      return {
        tone: "bad",
        text: "Not fully backed",
        detail:
          "We hold less USDC than we owe. Withdrawals are not paid until the difference is restored. Your balance stays yours, and you can still request a withdrawal.",
      };
    case "none":
      return { tone: "weak", text: "No report yet", detail: "The first report appears once both chains can be read." };
    case "unknown":
      return {
        tone: "weak",
        text: "Reserves can’t be checked right now",
        detail: `${unknownText(unknown)}${figures ? " The figures below are from an earlier check." : ""}`,
      };
  }
}

function unknownText(unknown: Reserves["unknown"]): string {
  const chain = unknown?.chain ? chainName(unknown.chain) : "a chain";
  switch (unknown?.reason) {
    case "away":
      return `No ${chain} node is responding.`;
    case "doubtful":
      return `The ${chain} nodes return inconsistent data.`;
    case "behind":
      return `The ${chain} nodes have fallen behind.`;
    case "disputed":
      return "Two checks gave different results; checking again.";
    case "stale":
      return "There has been no report for 30 minutes.";
    default:
      return "Funds are being moved to the chain where they are owed.";
  }
}

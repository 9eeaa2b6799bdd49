// The state of reserves as a sentence.

import { chainNames } from "@/components/ui/chain-names";
import type { Reserves } from "@/lib/console/views/reserves";

interface Sentence {
  tone: "good" | "weak" | "bad";
  text: string;
  detail: string;
}

/** The summary, and what follows from it. */
export function reservesSentence({ state, unknown, figures }: Reserves): Sentence {
  switch (state) {
    case "covered":
      return { tone: "good", text: "All that is owed is held.", detail: "Read from both chains and from the ledger, again and again." };
    case "deficit":
      return {
        tone: "bad",
        text: "Less is held than is owed.",
        detail: "No withdrawal is signed until what is missing is back. What you have stays yours, and can be asked for.",
      };
    case "none":
      return { tone: "weak", text: "There is no report yet.", detail: "The first one is made when both chains can be read." };
    case "unknown":
      return {
        tone: "weak",
        text: "What is held cannot be told now.",
        detail: `${unknownText(unknown)}${figures ? " What is below was read before." : ""}`,
      };
  }
}

function unknownText(unknown: Reserves["unknown"]): string {
  const chain = unknown?.chain ? chainNames[unknown.chain] : "a chain";
  switch (unknown?.reason) {
    case "away":
      return `No node of ${chain} answers us.`;
    case "doubtful":
      return `What the nodes of ${chain} tell is in doubt.`;
    case "behind":
      return `The nodes of ${chain} are behind where they were.`;
    case "disputed":
      return "Two readings did not say the same; it is read again.";
    case "stale":
      return "No report was made for half an hour.";
    default:
      return "What is owed is being brought to its chain.";
  }
}

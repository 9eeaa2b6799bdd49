import type { Metadata } from "next";
import { readSite } from "@/app/site";
import { DocsArticle } from "@/components/docs/docs-frame";
import { ApiChapter, TimeChapter } from "./how-far";
import { MinimumChapter, NotCreditedChapter, PayInChapter, StatesChapter } from "./what-counts";

export const metadata: Metadata = {
  title: "Deposits",
  description: "Deposit USDC on Base or Solana: addresses, minimum, timing and deposit states.",
};

const chapters = [
  { id: "pay-in", title: "How to deposit", Chapter: PayInChapter },
  { id: "states", title: "Deposit states", Chapter: StatesChapter },
  { id: "time", title: "How long it takes", Chapter: TimeChapter },
  { id: "minimum", title: "Minimum", Chapter: MinimumChapter },
  { id: "not-credited", title: "What is not credited", Chapter: NotCreditedChapter },
  { id: "api", title: "Track deposits by API", Chapter: ApiChapter },
];

export default function DepositsPage() {
  const site = readSite();
  return (
    <DocsArticle
      current="/docs/deposits"
      title="Deposits"
      intro="Deposit USDC on Base or Solana. 1 USDC = $1.00, no fee."
      sections={chapters}
    >
      {chapters.map(({ id, title, Chapter }) => (
        <Chapter key={id} id={id} title={title} site={site} />
      ))}
    </DocsArticle>
  );
}

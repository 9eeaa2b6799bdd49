import type { Metadata } from "next";
import { readSite } from "@/app/site";
import { DocsArticle } from "@/components/docs/docs-frame";
import { ApiChapter, TimeChapter } from "./how-far";
import { MinimumChapter, NotCreditedChapter, PayInChapter, StatesChapter } from "./what-counts";

export const metadata: Metadata = {
  title: "Deposits",
  description: "How USDC becomes balance: addresses, networks, the minimum, how long it takes, and what each state of a deposit means.",
};

const chapters = [
  { id: "pay-in", title: "How USDC comes in", Chapter: PayInChapter },
  { id: "states", title: "What each state means", Chapter: StatesChapter },
  { id: "time", title: "How long it takes", Chapter: TimeChapter },
  { id: "minimum", title: "The minimum", Chapter: MinimumChapter },
  { id: "not-credited", title: "What is not credited", Chapter: NotCreditedChapter },
  { id: "api", title: "Follow deposits by API", Chapter: ApiChapter },
];

export default function DepositsPage() {
  const site = readSite();
  return (
    <DocsArticle
      current="/docs/deposits"
      title="Deposits"
      intro="USDC on Base or Solana becomes balance, dollar for dollar."
      sections={chapters}
    >
      {chapters.map(({ id, title, Chapter }) => (
        <Chapter key={id} id={id} title={title} site={site} />
      ))}
    </DocsArticle>
  );
}

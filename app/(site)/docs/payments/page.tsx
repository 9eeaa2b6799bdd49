import type { Metadata } from "next";
import { readSite } from "@/app/site";
import { DocsArticle } from "@/components/docs/docs-frame";
import { defaultModelPrice, listModelPrices } from "@/lib/console/models";
import { AgainChapter, ChangeChapter, ExampleChapter, MovesChapter, ReasonsChapter, RightsChapter, TextChapter } from "./chapters";

export const metadata: Metadata = {
  title: "Pay per request",
  description: "Pay for single requests with a wallet signature: how it works, what a signature can do, and every refusal reason.",
};

const chapters = [
  { id: "moves", title: "How it works", Chapter: MovesChapter },
  { id: "text", title: "The message", Chapter: TextChapter },
  { id: "rights", title: "What a signature can do", Chapter: RightsChapter },
  { id: "example", title: "Example", Chapter: ExampleChapter },
  { id: "change", title: "Response and change", Chapter: ChangeChapter },
  { id: "again", title: "Retries", Chapter: AgainChapter },
  { id: "reasons", title: "Refusal reasons", Chapter: ReasonsChapter },
];

export default function PaymentsDocsPage() {
  const site = readSite();
  const model = defaultModelPrice(listModelPrices()).id;
  return (
    <DocsArticle
      current="/docs/payments"
      title="Pay per request"
      intro="Sign an amount with each request. Exactly that amount is paid, once. No balance needed."
      sections={chapters}
    >
      {chapters.map(({ id, title, Chapter }) => (
        <Chapter key={id} id={id} title={title} site={site} model={model} />
      ))}
    </DocsArticle>
  );
}

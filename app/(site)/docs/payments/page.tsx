import type { Metadata } from "next";
import { readSite } from "@/app/site";
import { DocsArticle } from "@/components/docs/docs-frame";
import { listModelPrices } from "@/lib/console/models";
import { defaultModel } from "@/lib/providers/catalogue";
import { AgainChapter, ChangeChapter, ExampleChapter, MovesChapter, ReasonsChapter, RightsChapter, TextChapter } from "./chapters";

export const metadata: Metadata = {
  title: "Pay per request",
  description:
    "How a wallet pays for one request by signing it: what moves when, what a signature can and cannot do, and every reason for a refusal.",
};

const chapters = [
  { id: "moves", title: "What moves, and when", Chapter: MovesChapter },
  { id: "text", title: "The text", Chapter: TextChapter },
  { id: "rights", title: "What a signature can do", Chapter: RightsChapter },
  { id: "example", title: "An example", Chapter: ExampleChapter },
  { id: "change", title: "The answer and the change", Chapter: ChangeChapter },
  { id: "again", title: "Send it again", Chapter: AgainChapter },
  { id: "reasons", title: "When it is refused", Chapter: ReasonsChapter },
];

export default function PaymentsDocsPage() {
  const site = readSite();
  const model = defaultModel(listModelPrices()).id;
  return (
    <DocsArticle
      current="/docs/payments"
      title="Pay per request"
      intro="A wallet signs an amount with each request. Exactly that moves, once, and no balance is needed."
      sections={chapters}
    >
      {chapters.map(({ id, title, Chapter }) => (
        <Chapter key={id} id={id} title={title} site={site} model={model} />
      ))}
    </DocsArticle>
  );
}

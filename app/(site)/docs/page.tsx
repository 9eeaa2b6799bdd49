import type { Metadata } from "next";
import { getExampleModel } from "@/app/examples";
import { readSite } from "@/app/site";
import { DocsFrame } from "@/components/docs/docs-frame";
import { listModelPrices } from "@/lib/console/models";
import { chapters } from "./chapters";

export const metadata: Metadata = {
  title: "Quick start",
  description: "From a key to an answer in a minute: curl, TypeScript and Python, what the answer means, and every error.",
};

export default function DocsPage() {
  const site = readSite();
  const model = getExampleModel(listModelPrices());
  return (
    <DocsFrame current="/docs" sections={chapters}>
      <article className="max-w-reading pt-8 lg:pt-12">
        <h1 className="text-xl font-medium tracking-[-0.025em]">Quick start</h1>
        <p className="mt-2 text-muted">One endpoint, one key, one JSON body. The answer says what it cost.</p>
        {chapters.map(({ id, Chapter }) => (
          <Chapter key={id} site={site} model={model} />
        ))}
      </article>
    </DocsFrame>
  );
}

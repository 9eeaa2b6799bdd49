import type { Metadata } from "next";
import { listModelPrices } from "@/lib/console/models";
import { getExampleModel } from "../examples";
import { readSite } from "../site";
import { chapters } from "./chapters";

export const metadata: Metadata = {
  title: "Quick start",
  description: "From a key to an answer in a minute: curl, TypeScript and Python, what the answer means, and every error.",
};

export default function DocsPage() {
  const site = readSite();
  const model = getExampleModel(listModelPrices());
  return (
    <div className="gap-16 lg:grid lg:grid-cols-[176px_minmax(0,720px)]">
      <nav aria-label="On this page" className="pt-[60px] max-lg:hidden">
        <ul className="sticky top-6 space-y-1 text-sm text-muted">
          {chapters.map(({ id, title }) => (
            <li key={id}>
              <a href={`#${id}`} className="block py-1 transition hover:text-ink">
                {title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <article className="max-w-reading pt-12">
        <h1 className="text-xl font-medium tracking-[-0.025em]">Quick start</h1>
        <p className="mt-2 text-muted">One endpoint, one key, one JSON body. The answer says what it cost.</p>
        {chapters.map(({ id, Chapter }) => (
          <Chapter key={id} site={site} model={model} />
        ))}
      </article>
    </div>
  );
}

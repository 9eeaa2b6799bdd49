import type { Metadata } from "next";
import Link from "next/link";
import { notFound, redirect } from "next/navigation";
import type { ReactNode } from "react";
import { curlPrompt, embeddingExample, pythonPrompt, typescriptPrompt } from "@/app/examples";
import { readSite } from "@/app/site";
import { CodeTabs } from "@/components/docs/code-tabs";
import { ModelPrices } from "@/components/models/model-prices";
import { modelHref, retirementText } from "@/components/models/model-row";
import { ActionLink } from "@/components/ui/action-link";
import { CodeBlock } from "@/components/ui/code-block";
import { CopyButton } from "@/components/ui/copy-button";
import { countText } from "@/components/ui/text/number-text";
import { now } from "@/lib/base/clock";
import { findModelPrice, listModelPrices } from "@/lib/console/models";
import type { ModelPrice } from "@/lib/console/views/models";

interface ModelPageProps {
  /** The name's segments: an operator may name a model `vendor/model`. */
  params: Promise<{ name: string[] }>;
}

/** The model of an id or alias; an unknown name is a missing page, an alias leads to the id. */
async function readModel({ params }: ModelPageProps): Promise<ModelPrice> {
  const name = decode((await params).name.join("/"));
  const model = findModelPrice(listModelPrices(), name) ?? notFound();
  if (model.id !== name) redirect(modelHref(model.id));
  return model;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return notFound();
  }
}

export async function generateMetadata(props: ModelPageProps): Promise<Metadata> {
  const { id, provider, inputPrice, outputPrice } = await readModel(props);
  return {
    title: id,
    description: `${id} by ${provider}: $${inputPrice} in and $${outputPrice} out per 1M tokens. Specs, code and pricing.`,
  };
}

export default async function ModelPage(props: ModelPageProps) {
  const model = await readModel(props);
  const { id, provider, description, type } = model;
  return (
    <article className="pt-8 lg:pt-12">
      <p className="text-sm text-muted">
        <Link href="/models" className="underline-offset-4 hover:text-ink hover:underline">
          Models
        </Link>{" "}
        / {provider}
      </p>
      <div className="mt-3 flex items-start gap-2">
        <h1 className="font-mono text-lg font-medium tracking-tight break-all sm:text-xl">{id}</h1>
        <CopyButton quiet text={id} label={`Copy ${id}`} />
      </div>
      <p className="mt-2 max-w-reading text-muted">{description}</p>
      <RetirementNotice model={model} />
      <div className="mt-6 flex flex-wrap gap-3">
        {type === "embedding" ? (
          <ActionLink primary href="/docs/embeddings">
            Read the docs
          </ActionLink>
        ) : (
          <>
            <ActionLink primary href={`/playground?model=${encodeURIComponent(id)}`}>
              Try it
            </ActionLink>
            <ActionLink href="/docs">Read the docs</ActionLink>
          </>
        )}
      </div>
      <div className="grid gap-x-12 lg:grid-cols-2">
        <div className="min-w-0">
          <ModelPrices model={model} />
          <ModelFacts model={model} />
        </div>
        <ModelCode model={model} />
      </div>
    </article>
  );
}

function ModelCode({ model: { id, type } }: { model: ModelPrice }) {
  const site = readSite();
  return (
    <section aria-labelledby="code" className="mt-10 min-w-0">
      <h2 id="code" className="mb-4 text-base font-medium">
        Use it from code
      </h2>
      {type === "embedding" ? (
        <CodeBlock title="curl" copy={embeddingExample(site, id)} />
      ) : (
        <CodeTabs
          name="code"
          legend="Language"
          tabs={[
            { label: "curl", title: "curl", code: curlPrompt(site, id) },
            { label: "TypeScript", title: "TypeScript", code: typescriptPrompt(site, id) },
            { label: "Python", title: "Python", code: pythonPrompt(site, id) },
          ]}
        />
      )}
    </section>
  );
}

/** The features of a model. */
const ModelFacts = ({ model }: { model: ModelPrice }) => (
  <Facts title="Features">
    <Fact name="Provider">{model.provider}</Fact>
    {model.releasedOn ? <Fact name="Released">{model.releasedOn}</Fact> : null}
    <Fact name={model.type === "embedding" ? "Max input" : "Context window"}>{countText(model.contextWindow)} tokens</Fact>
    {model.type === "embedding" ? null : <PromptFacts model={model} />}
    {model.aliases.length === 0 ? null : (
      <Fact name={model.aliases.length === 1 ? "Alias" : "Aliases"}>
        <span className="font-mono break-all">{model.aliases.join(", ")}</span>
      </Fact>
    )}
  </Facts>
);

/** Of a model that answers prompts. */
const PromptFacts = ({ model: { maxOutputTokens, takesImages } }: { model: ModelPrice }) => (
  <>
    <Fact name="Max output">{countText(maxOutputTokens)} tokens</Fact>
    <Fact name="Image input">{takesImages ? "Yes" : "No"}</Fact>
    <Fact name="Streaming, tools, JSON output">Yes</Fact>
  </>
);

const Facts = ({ title, children }: { title: string; children: ReactNode }) => (
  <section aria-label={title} className="mt-10">
    <h2 className="text-base font-medium">{title}</h2>
    <dl className="mt-3 border-t border-line text-sm">{children}</dl>
  </section>
);

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="flex flex-wrap justify-between gap-x-6 border-b border-line py-2.5">
    <dt className="text-muted">{name}</dt>
    <dd className="min-w-0">{children}</dd>
  </div>
);

/** When a model retires, and what to use instead; nothing without a date. */
function RetirementNotice({ model }: { model: ModelPrice }) {
  const { successor, isServedOn } = model;
  const text = retirementText(model, now().toISOString().slice(0, 10));
  if (text === null) return null;
  return (
    <p className="mt-5 max-w-reading rounded border border-amber-edge bg-amber-wash px-4 py-3 text-sm text-amber-ink">
      {text}.{" "}
      {!isServedOn
        ? "Requests are refused from that day on."
        : readSite().isSandbox
          ? "This sandbox simulates it."
          : "Another host still serves it here."}
      {successor ? (
        <>
          {" "}
          Use{" "}
          <Link href={modelHref(successor)} className="font-mono underline underline-offset-4">
            {successor}
          </Link>{" "}
          instead.
        </>
      ) : null}
    </p>
  );
}

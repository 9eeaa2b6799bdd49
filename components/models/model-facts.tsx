import type { ReactNode } from "react";
import { countText } from "@/components/ui/text/number-text";
import type { ModelPrice } from "@/lib/console/views/models";

/** What a model can do. */
export const ModelFacts = ({ model }: { model: ModelPrice }) => (
  <Facts title="Features">
    <Fact name="Provider">{model.provider}</Fact>
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

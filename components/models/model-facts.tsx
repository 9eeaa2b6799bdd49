import type { ReactNode } from "react";
import { Amount, placesOf } from "@/components/ui/text/amount";
import { countText } from "@/components/ui/text/number-text";
import type { ModelPrice } from "@/lib/console/views/models";
import { priceModel } from "./model-row";

const EXAMPLE = { input: 1_000n, output: 500n };

/** A model's prices, and what one request of an example size costs. */
export function ModelPrices({ model }: { model: ModelPrice }) {
  const { input, output, cost } = priceModel(model, EXAMPLE);
  const places = placesOf([input, output]);
  return (
    <Facts title="Pricing">
      <Fact name="Input, per 1M tokens">
        <Amount nano={input} places={places} />
      </Fact>
      <Fact name="Output, per 1M tokens">
        <Amount nano={output} places={places} />
      </Fact>
      {cost === null ? null : (
        <Fact name={`Example: ${countText(Number(EXAMPLE.input))} tokens in, ${countText(Number(EXAMPLE.output))} out`}>
          <Amount nano={cost} />
        </Fact>
      )}
    </Facts>
  );
}

/** What a model can do. */
export const ModelFacts = ({ model: { provider, contextWindow, maxOutputTokens, aliases } }: { model: ModelPrice }) => (
  <Facts title="Features">
    <Fact name="Provider">{provider}</Fact>
    <Fact name="Context window">{countText(contextWindow)} tokens</Fact>
    <Fact name="Max output">{countText(maxOutputTokens)} tokens</Fact>
    <Fact name="Streaming">Yes</Fact>
    <Fact name="Tool calling">Yes, with /chat/completions</Fact>
    <Fact name="JSON output">Yes, with /chat/completions</Fact>
    {aliases.length === 0 ? null : (
      <Fact name={aliases.length === 1 ? "Alias" : "Aliases"}>
        <span className="font-mono break-all">{aliases.join(", ")}</span>
      </Fact>
    )}
  </Facts>
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

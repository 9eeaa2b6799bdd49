import Link from "next/link";
import { curlPrompt, exampleAnswer } from "@/app/examples";
import { hasSessionCookie } from "@/app/session-cookie";
import { readSite, type Site } from "@/app/site";
import { PriceList } from "@/components/models/price-list";
import { EngravedPenny } from "@/components/site/engraved-penny";
import { ChargeFigure, HoldFigure, RefusalFigure } from "@/components/site/money-figures";
import { ActionLink } from "@/components/ui/action-link";
import { CodeBlock } from "@/components/ui/code-block";
import { Amount, placesOf } from "@/components/ui/text/amount";
import { JsonText } from "@/components/ui/text/json-text";
import { formatUsd } from "@/lib/base/money";
import { MINIMUM_DEPOSIT } from "@/lib/console/deposit/deposit";
import { defaultModelPrice, listModelPrices } from "@/lib/console/models";
import { pricePolicyText, readPricePolicy } from "@/lib/console/price-policy";
import type { ModelPrice } from "@/lib/console/views/models";

interface ReceiptProps {
  lines: readonly { text: string; cost: bigint }[];
  /** Nano-USD; the exact sum of the lines. */
  total: bigint;
}

export default async function LandingPage() {
  const site = readSite();
  const models = listModelPrices();
  const example = defaultModelPrice(models);
  return (
    <>
      <Opening models={models} isSignedIn={await hasSessionCookie()} />
      <Product site={site} model={example} />
      <Facts charged={formatUsd(exampleAnswer(example).total)} />
      <Models models={models} />
    </>
  );
}

function Opening({ models, isSignedIn }: { models: readonly ModelPrice[]; isSignedIn: boolean }) {
  return (
    <section className="grid items-center gap-10 pt-12 pb-10 md:grid-cols-[1fr_216px] md:pt-14">
      <div>
        <h1 className="text-xl font-semibold tracking-[-0.025em]">
          Any model. <span className="sm:block">Pay in USDC, per prompt, to the last nano-dollar.</span>
        </h1>
        <p className="mt-4 max-w-[64ch] text-pretty text-muted">
          One API for {models.length} models from {providersOf(models)}. {pricePolicyText(readPricePolicy(), models.length)} No
          subscription. Deposits are free, from <Amount nano={MINIMUM_DEPOSIT} />.{" "}
          <Link href="/docs/prices" className="underline underline-offset-4 hover:text-ink">
            Prices and fees
          </Link>
        </p>
        <div className="mt-6 flex flex-wrap gap-3">
          <ActionLink primary href={isSignedIn ? "/overview" : "/connect"}>
            {isSignedIn ? "Open console" : "Connect wallet"}
          </ActionLink>
          <ActionLink href="/docs">Read the docs</ActionLink>
        </div>
      </div>
      <div className="mx-auto w-[216px] max-md:hidden">
        <EngravedPenny legend="ANY MODEL · PAY IN USDC · TO THE LAST NANO-DOLLAR · " />
      </div>
    </section>
  );
}

function Product({ site, model }: { site: Site; model: ModelPrice }) {
  const { json, total, parts } = exampleAnswer(model);
  return (
    <section
      aria-label="Example request and response"
      className="grid overflow-hidden rounded border border-line bg-panel lg:grid-cols-[1.2fr_1fr] lg:grid-rows-[auto_1fr]"
    >
      <div className="min-w-0 border-line max-lg:border-b lg:border-r">
        <CodeBlock bare title="Request" copy={curlPrompt(site, model.id)} />
        <KeyNote site={site} />
      </div>
      <div className="min-w-0 lg:row-span-2">
        <CodeBlock bare title="Response" copy={json} note={<span className="font-mono text-green">200</span>}>
          <JsonText text={json} lit={["totalCost"]} />
        </CodeBlock>
      </div>
      <div className="border-t border-line lg:border-r">
        <Receipt lines={parts} total={total} />
      </div>
    </section>
  );
}

/** Where the example's key comes from. */
function KeyNote({ site }: { site: Site }) {
  const variable = <code className="font-mono text-xs text-ink">${site.keyVariable}</code>;
  return (
    <p className="px-4 pb-4 text-sm text-muted">
      {site.isSandbox ? (
        <>
          {variable} is the demo key. <code className="font-mono text-xs text-ink">npm start</code> prints it and saves it in{" "}
          <code className="font-mono text-xs text-ink">{site.sandboxFile}</code>.{" "}
          <Link href="/docs#key" className="underline underline-offset-4">
            Set it with one command
          </Link>
          .
        </>
      ) : (
        <>{variable} is your API key. It starts with pp_ and is shown once.</>
      )}
    </p>
  );
}

function Facts({ charged }: { charged: string }) {
  const facts = [
    {
      figure: <HoldFigure />,
      title: "Reserved first",
      text: "We reserve the maximum cost before we call the model, so two requests never spend the same dollar.",
    },
    {
      figure: <ChargeFigure charged={charged} />,
      title: "Charged exactly",
      text: "You pay the provider’s token count times the price. Nothing is rounded, and the rest is released immediately.",
    },
    {
      figure: <RefusalFigure />,
      title: "Never below zero",
      text: "If your balance can’t cover a request, it is refused before the model runs. A model that fails before its first token costs nothing.",
    },
  ];
  return (
    <section aria-labelledby="money" className="mt-20">
      <h2 id="money" className="text-lg font-medium tracking-tight">
        How you are charged
      </h2>
      <ol className="mt-6 grid gap-10 border-t border-line pt-8 md:grid-cols-3">
        {facts.map(({ figure, title, text }) => (
          <li key={title}>
            {figure}
            <h3 className="mt-4 font-medium">{title}</h3>
            <p className="mt-1 text-sm text-muted">{text}</p>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Models({ models }: { models: readonly ModelPrice[] }) {
  const shown = someOfEachProvider(models, 2);
  return (
    <section aria-labelledby="models" className="mt-20">
      <div className="flex items-baseline justify-between gap-4">
        <h2 id="models" className="text-lg font-medium tracking-tight">
          Models
        </h2>
        <p className="text-xs text-muted">USD per 1M tokens</p>
      </div>
      <div className="mt-3">
        <PriceList rows={shown} />
      </div>
      <p className="mt-5 text-sm">
        <Link href="/models" className="font-medium text-copper-ink underline-offset-4 hover:underline">
          {shown.length < models.length ? `See all ${models.length} models` : "Search and compare models"} →
        </Link>
      </p>
    </section>
  );
}

/** "OpenAI, Anthropic and Google": the providers with at least one model here. */
function providersOf(models: readonly ModelPrice[]): string {
  return new Intl.ListFormat("en-GB").format(new Set(models.map(({ provider }) => provider)));
}

/** The newest `count` models of each provider. */
function someOfEachProvider(models: readonly ModelPrice[], count: number): ModelPrice[] {
  return models.filter((model) => models.filter(({ provider }) => provider === model.provider).indexOf(model) < count);
}

/** How a cost was computed, as a bank would print it. */
function Receipt({ lines, total }: ReceiptProps) {
  const places = placesOf([total, ...lines.map(({ cost }) => cost)]);
  return (
    <figure className="flex h-full flex-col">
      <figcaption className="border-b border-line px-4 py-2.5 text-xs font-medium text-muted">Cost</figcaption>
      <dl className="px-4 py-3 text-sm">
        {lines.map(({ text, cost }) => (
          <div key={text} className="flex justify-between gap-4 py-1">
            <dt className="text-muted">{text}</dt>
            <dd className="font-mono">
              <Amount nano={cost} places={places} />
            </dd>
          </div>
        ))}
        <div className="mt-1.5 flex justify-between gap-4 border-t border-edge pt-2.5 pb-1 font-medium text-copper-ink">
          <dt>Total charged</dt>
          <dd className="font-mono">
            <Amount nano={total} places={places} />
          </dd>
        </div>
      </dl>
    </figure>
  );
}

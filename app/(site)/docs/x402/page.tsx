import type { Metadata } from "next";
import { readSite } from "@/app/site";
import { DocsArticle } from "@/components/docs/docs-frame";
import { listModelPrices } from "@/lib/console/models";
import { defaultModel } from "@/lib/providers/catalogue";
import { ClientChapter, FailureChapter, OperatorsChapter, PriceChapter, WhatChapter } from "./chapters";

export const metadata: Metadata = {
  title: "x402",
  description:
    "Pay for a prompt without an account: x402 version 2 on Base and Solana, with its stock clients, credits, and what happens when something fails.",
};

const chapters = [
  { id: "what", title: "Without an account", Chapter: WhatChapter },
  { id: "client", title: "An example", Chapter: ClientChapter },
  { id: "price", title: "Price and credits", Chapter: PriceChapter },
  { id: "failures", title: "When something fails", Chapter: FailureChapter },
  { id: "discovery", title: "Discovery and facilitators", Chapter: OperatorsChapter },
];

export default function X402DocsPage() {
  const site = readSite();
  const model = defaultModel(listModelPrices()).id;
  return (
    <DocsArticle
      current="/docs/x402"
      title="x402"
      intro="A wallet pays for a prompt: no account, no key, no balance. Stock clients work as they are."
      sections={chapters}
    >
      {chapters.map(({ id, title, Chapter }) => (
        <Chapter key={id} id={id} title={title} site={site} model={model} />
      ))}
    </DocsArticle>
  );
}

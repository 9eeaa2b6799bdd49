import type { Metadata } from "next";
import { readSite } from "@/app/site";
import { DocsArticle } from "@/components/docs/docs-frame";
import { defaultModelPrice, listModelPrices } from "@/lib/console/models";
import { ClientChapter, ExtensionsChapter, FailureChapter, OperatorsChapter, PriceChapter, WhatChapter } from "./chapters";

export const metadata: Metadata = {
  title: "x402",
  description: "Pay for prompts without an account: x402 version 2 on Base and Solana, with standard clients.",
};

const chapters = [
  { id: "what", title: "Without an account", Chapter: WhatChapter },
  { id: "client", title: "Example", Chapter: ClientChapter },
  { id: "price", title: "Price and credits", Chapter: PriceChapter },
  { id: "extensions", title: "Extensions", Chapter: ExtensionsChapter },
  { id: "failures", title: "Failures", Chapter: FailureChapter },
  { id: "discovery", title: "Discovery and facilitators", Chapter: OperatorsChapter },
];

export default function X402DocsPage() {
  const site = readSite();
  const model = defaultModelPrice(listModelPrices()).id;
  return (
    <DocsArticle
      current="/docs/x402"
      title="x402"
      intro="Pay for a prompt from a wallet: no account, no key, no balance. Standard x402 clients work."
      sections={chapters}
    >
      {chapters.map(({ id, title, Chapter }) => (
        <Chapter key={id} id={id} title={title} site={site} model={model} />
      ))}
    </DocsArticle>
  );
}

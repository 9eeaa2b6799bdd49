import type { Metadata } from "next";
import { getExampleModel } from "@/app/examples";
import { readSite } from "@/app/site";
import { Playground } from "@/components/console/playground/playground";
import { listModelPrices } from "@/lib/console/models";
import { readAvailable } from "@/lib/console/owner";
import { csrfToken } from "@/lib/console/same-origin";
import { forSession } from "../owner-actions";
import { requireOwner } from "../require-owner";
import { findAvailable, findCost } from "./actions";

export const metadata: Metadata = { title: "Playground" };

interface PlaygroundPageProps {
  searchParams: Promise<{ model?: string | string[] }>;
}

export default async function PlaygroundPage({ searchParams }: PlaygroundPageProps) {
  const owner = await requireOwner();
  const { model: asked } = await searchParams;
  const models = listModelPrices();
  const { baseUrl, keyVariable } = readSite();
  return (
    <Playground
      models={models}
      initialModel={(models.find(({ id }) => id === asked) ?? getExampleModel(models)).id}
      available={await readAvailable(owner.accountId)}
      isFrozen={owner.isFrozen}
      door={{ answerUrl: "/playground/answer", quoteUrl: "/playground/quote", csrfToken: csrfToken(owner) }}
      target={{ baseUrl, keyVariable }}
      {...forSession(owner, { findCost, readAvailable: findAvailable })}
    />
  );
}

// Every price ever charged, named by the hash of its content. A charge names its price version, so a receipt can be recomputed forever.

import { z } from "zod";
import { now } from "@/lib/base/clock";
import { nanoUsd } from "@/lib/base/money";
import { kindNames } from "@/lib/base/tokens/token-kinds";
import { prisma } from "@/lib/db/prisma";
import { fillPrices, listPrices, type Prices, readListedPrices } from "@/lib/providers/prices";

interface PriceVersion {
  id: string;
  model: string;
  prices: Prices;
}

/** Records prices before the first charge at them; known ones stay unchanged. */
export async function recordPriceVersions(versions: readonly PriceVersion[]): Promise<void> {
  const recordedAt = now();
  // In id order: two releases that start side by side list them differently, and would deadlock.
  const sorted = versions.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const data = sorted.map(({ id, model, prices }) => ({
    id,
    model,
    recordedAt,
    inputPrice: prices[0].input,
    outputPrice: prices[0].output,
    kinds: listPrices(prices).map((listed) => ({ ...listed, price: Number(listed.price) })),
  }));
  await prisma().priceVersion.createMany({ data, skipDuplicates: true });
}

/** Nano-USD per token of each kind and tier, as `listPrices` lists them. */
const storedKinds = z.array(
  z.object({
    kind: z.enum(kindNames),
    price: z.int().transform((price) => nanoUsd(price)),
    fromInputTokens: z.int().optional(),
  }),
);

/** The prices of a version; null for an unknown id. */
export async function findPrices(id: string): Promise<Prices | null> {
  const version = await prisma().priceVersion.findUnique({ where: { id } });
  if (!version) return null;
  const kinds = storedKinds.parse(version.kinds);
  // Versions from before there were kinds have none.
  if (kinds.length === 0) return fillPrices({ input: nanoUsd(version.inputPrice), output: nanoUsd(version.outputPrice) });
  return readListedPrices(kinds);
}

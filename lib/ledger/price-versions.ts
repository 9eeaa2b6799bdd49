// Every price ever charged, named by the hash of its content. A charge names its price version, so a receipt can be recomputed forever.

import { now } from "@/lib/base/clock";
import type { NanoUsd } from "@/lib/base/money";
import { prisma } from "@/lib/db/prisma";

interface PriceVersion {
  id: string;
  model: string;
  /** Nano-USD per token. */
  inputPrice: NanoUsd;
  outputPrice: NanoUsd;
}

/** Records prices before the first charge at them; known ones stay unchanged. */
export async function recordPriceVersions(versions: readonly PriceVersion[]): Promise<void> {
  const recordedAt = now();
  // In id order: two releases that start side by side list them differently, and would deadlock.
  const sorted = versions.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  await prisma().priceVersion.createMany({ data: sorted.map((version) => ({ ...version, recordedAt })), skipDuplicates: true });
}

// Models that make embeddings. They report their usage, which is all input. Prices: platform.openai.com/docs/pricing, as of 2026-11-26.

import type { Model } from "../types";
import { modelOf } from "./row";

interface EmbeddingRow {
  id: string;
  releasedOn: string;
  description: string;
  /** Nano-USD per token, that the provider charges. */
  cost: number;
}

const embedding = ({ cost, ...row }: EmbeddingRow): Model => ({
  ...modelOf("openai", "openai", { ...row, context: 8_192, maxOutput: 1, cost: { input: cost, output: 0 }, bound: "cl100k" }),
  type: "embedding",
});

export const embeddingModels: readonly Model[] = [
  embedding({
    id: "text-embedding-3-small",
    releasedOn: "2024-01-25",
    description: "1,536-dimensional embeddings for search and clustering.",
    cost: 20,
  }),
  embedding({
    id: "text-embedding-3-large",
    releasedOn: "2024-01-25",
    description: "3,072-dimensional embeddings, the most accurate.",
    cost: 130,
  }),
  embedding({ id: "text-embedding-ada-002", releasedOn: "2022-12-15", description: "Older 1,536-dimensional embeddings.", cost: 100 }),
];

// The example of the page on embeddings: the page shows it, and a test runs it.

import type { Site } from "@/app/site";

export const embeddingExample = (
  { baseUrl, keyVariable }: Pick<Site, "baseUrl" | "keyVariable">,
  model = "text-embedding-3-small",
): string =>
  `curl ${baseUrl}/api/v1/embeddings \\
  -H "Authorization: Bearer $${keyVariable}" \\
  -H "Content-Type: application/json" \\
  -d '{"model": "${model}", "input": ["first text", "second text"]${shorter(model)}}'`;

/** Few numbers to look at, where the model can shorten them. */
const shorter = (model: string): string => (model.startsWith("text-embedding-3-") ? ', "dimensions": 8' : "");

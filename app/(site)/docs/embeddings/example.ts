// The example of the page on embeddings: the page shows it, and a test runs it.

import type { Site } from "@/app/site";

export const embeddingExample = ({ baseUrl, keyVariable }: Pick<Site, "baseUrl" | "keyVariable">): string =>
  `curl ${baseUrl}/api/v1/embeddings \\
  -H "Authorization: Bearer $${keyVariable}" \\
  -H "Content-Type: application/json" \\
  -d '{"model": "text-embedding-3-small", "input": ["first text", "second text"], "dimensions": 8}'`;

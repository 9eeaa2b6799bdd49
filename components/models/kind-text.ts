// The kinds of tokens, as price lists and costs name them.

import type { ListedModelPrice } from "@/lib/console/views/models";

export const kindText: Readonly<Record<ListedModelPrice["kind"], string>> = {
  input: "Input",
  cache_read: "Cached input",
  cache_write: "Cache write",
  cache_write_1h: "Cache write, for hours",
  image: "Image input",
  output: "Output",
  reasoning: "Reasoning",
};

// An image for a provider, whichever format carries it.

import type { LargeText } from "@/lib/base/large-text";

export type ImageMediaType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

/** How closely a model looks at an image, and so how many tokens it is. Never left to the provider. */
export type ImageDetail = "low" | "high" | "original";

export interface ImageBytes {
  kind: "bytes";
  mediaType: ImageMediaType;
  /** Of a large body: its place in it. Written into JSON as text, it is a reference that `wireBody` resolves. */
  base64: string | LargeText;
  /** Pixels, as the image's header says. */
  width: number;
  height: number;
}

/** An image of a message: its bytes in base64, or where the provider fetches it. We fetch nothing. */
export interface ImagePart {
  type: "image";
  detail: ImageDetail;
  source: ImageBytes | { kind: "url"; url: string };
  /** Ends a prefix of the prompt that shall be cached. */
  cache?: "5m" | "1h" | undefined;
}

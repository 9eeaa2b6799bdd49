// The images that each provider takes. The numbers are the providers' own where they publish one (as of 2026-11-26); where they publish
// none, ours keep one request from holding a context window.

import type { ImageMediaType, ImagePart } from "../conversation/images";
import type { ModelRoute } from "../model-route";
import { fetchesImages, takesImages } from "./bound";

export const MAX_IMAGES = 100;
/** Anthropic's; the largest that any provider documents. */
export const MAX_IMAGE_EDGE = 8_000;
/** Of base64, which is how images are sent. */
const MAX_IMAGE_BYTES = 28 * 1024 * 1024;

interface Limits {
  types: readonly ImageMediaType[];
  maxBase64Bytes: number;
  /** With more images than `many`, each edge is limited to `edge`. */
  crowd?: { many: number; edge: number };
}

const allTypes: readonly ImageMediaType[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** platform.claude.com vision, docs.x.ai image understanding, ai.google.dev image understanding, developers.openai.com images-vision */
const limitsOf: Record<string, Limits> = {
  anthropic: { types: allTypes, maxBase64Bytes: 10_000_000, crowd: { many: 20, edge: 2_000 } },
  xai: { types: ["image/png", "image/jpeg"], maxBase64Bytes: 20 * 1024 * 1024 },
  gemini: { types: ["image/png", "image/jpeg", "image/webp"], maxBase64Bytes: 20 * 1024 * 1024 },
};
const otherLimits: Limits = { types: allTypes, maxBase64Bytes: MAX_IMAGE_BYTES };

const shortName = (type: ImageMediaType): string => type.slice("image/".length).toUpperCase();

/** Why a route cannot take one of a request's images, with what to send instead; null when it can. */
export function imageProblem({ source }: ImagePart, count: number, route: ModelRoute): string | null {
  if (!takesImages(route))
    return "this model does not accept images. Choose one with image in its inputModalities in GET /api/v1/models, or send only text";
  if (source.kind === "url") {
    return fetchesImages(route)
      ? null
      : "this model's provider does not fetch images by URL. Send the image itself, as base64 or a data URL";
  }
  const { types, maxBase64Bytes, crowd } = limitsOf[route.provider] ?? otherLimits;
  if (!types.includes(source.mediaType)) return `this model accepts ${types.map(shortName).join(", ")}, not ${shortName(source.mediaType)}`;
  if (source.base64.length > maxBase64Bytes) return `is larger than this model accepts: at most ${maxBase64Bytes} bytes of base64`;
  if (crowd && count > crowd.many && Math.max(source.width, source.height) > crowd.edge) {
    return `is ${source.width} x ${source.height} pixels; with more than ${crowd.many} images, each side must be at most ${crowd.edge}`;
  }
  return null;
}

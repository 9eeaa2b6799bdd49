// Bounds of the input tokens of images, and which routes take them. Where no provider publishes a rule, the bound is the most that a
// similar model counts, or the fewest that its rule can give.

import type { ImageDetail, ImagePart } from "../conversation/images";
import type { ChatMessage } from "../conversation/messages";
import type { ModelRoute } from "../model-route";
import type { Model } from "../types";
import { anthropicImageBound, anthropicImageLeast } from "./anthropic";
import { geminiImageBound, geminiImageLeast } from "./gemini";
import { openaiImageBound, openaiImageLeast, openaiTakesImages } from "./openai";
import { countSquares, type Size } from "./scale";

/** xAI: tiles of 448 pixels at 256 tokens each, six at most and one for the whole (docs.x.ai, image understanding, as of 2026-11-26). */
const XAI_TILE = { side: 448, tokens: 256, most: 6 };
const XAI_IMAGE_TOKENS = XAI_TILE.tokens * (XAI_TILE.most + 1);

/** The text around an image: its start and end marks, and a name for it. */
const TOKENS_AROUND_IMAGE = 16;

/** Whether a route takes images. */
export function takesImages({ provider, wireName }: ModelRoute): boolean {
  const name = bareName(wireName);
  switch (provider) {
    case "openai":
      return openaiTakesImages(name);
    case "anthropic":
      return name.startsWith("claude-");
    case "gemini":
      return name.startsWith("gemini-");
    case "xai":
      return name.startsWith("grok-");
    default:
      return false;
  }
}

/** Whether a route's provider fetches an image by its URL. */
export const fetchesImages = ({ provider }: ModelRoute): boolean => provider !== "gemini";

/** Without the vendor that some hosts put before a model's name. */
const bareName = (wireName: string): string => wireName.slice(wireName.lastIndexOf("/") + 1);

/** The most input tokens that all the images of a request can be, at the route of the model that counts the most. */
export function imagesBound(messages: readonly ChatMessage[], { routes }: Pick<Model, "routes">): number {
  const images = imagesOf(messages);
  if (images.length === 0) return 0;
  // Gemini is asked for one resolution for the whole request, the highest of its images.
  const wholeDetail: ImageDetail = images.some(({ detail }) => detail !== "low") ? "high" : "low";
  const ofRoute = (route: ModelRoute) =>
    images.reduce((sum, image) => sum + TOKENS_AROUND_IMAGE + imageBound(image, wholeDetail, route), 0);
  return Math.max(...routes.map(ofRoute));
}

/** The images of all messages, in order. */
export const imagesOf = (messages: readonly ChatMessage[]): ImagePart[] =>
  messages.flatMap(({ content }) => (typeof content === "string" ? [] : content.filter((part) => part.type === "image")));

function imageBound({ source, detail }: ImagePart, wholeDetail: ImageDetail, { provider, wireName }: ModelRoute): number {
  const name = bareName(wireName);
  const size: Size | null = source.kind === "bytes" ? source : null;
  switch (provider) {
    case "openai":
      return openaiImageBound(name, detail, size);
    case "anthropic":
      return anthropicImageBound(name, size);
    case "gemini":
      return geminiImageBound(name, wholeDetail, size ?? LARGEST);
    default:
      return XAI_IMAGE_TOKENS;
  }
}

const LARGEST: Size = { width: 8_000, height: 8_000 };

/**
 * The tokens of a request's images by the rule of the route that answers it, without the text around them; the fewest that the rule can
 * give where it needs a fact that we do not know.
 */
export function leastImageTokens(messages: readonly ChatMessage[], { provider, wireName }: ModelRoute): number {
  const images = imagesOf(messages);
  const name = bareName(wireName);
  const isLow = images.every(({ detail }) => detail === "low");
  const tokensOf = ({ source, detail }: ImagePart): number => {
    const size: Size | null = source.kind === "bytes" ? source : null;
    switch (provider) {
      case "openai":
        return openaiImageLeast(name, detail, size);
      case "anthropic":
        return anthropicImageLeast(name, size);
      case "gemini":
        return geminiImageLeast(name, isLow ? "low" : "high");
      case "xai":
        return XAI_TILE.tokens * (1 + Math.min(XAI_TILE.most, size ? countSquares(size, XAI_TILE.side) : 1));
      default:
        return 0;
    }
  };
  return images.reduce((sum, image) => sum + tokensOf(image), 0);
}

// Images of a request: read from their dialect's form, measured by their headers, and checked against the model's limits. Nothing is
// fetched and nothing is decoded: providers count what a header says, and refuse an image whose content is another. An image that is none,
// or that the model cannot take, is refused in the newest turn; in an older one, and in a tool's result, a line stands in its place. A
// client sends both again with every turn, so that a refusal would end the session for good.

import { Base64Bytes } from "@/lib/base/base64-bytes";
import type { ImageDetail, ImagePart } from "@/lib/providers/conversation/images";
import type { ChatMessage, ContentPart, TextPart } from "@/lib/providers/conversation/messages";
import { takesImages } from "@/lib/providers/image-bound/bound";
import { readImageHeader } from "@/lib/providers/image-bound/image-header";
import { imageProblem, MAX_IMAGE_EDGE, MAX_IMAGES } from "@/lib/providers/image-bound/limits";
import type { Model } from "@/lib/providers/types";
import type { GatewayRequest, Issue } from "../http/request";
import { notShown } from "./parts";

type LargeTexts = GatewayRequest["largeTexts"];

/** An image, or why it is none. */
type ReadImage = ImagePart | string;

/** From OpenAI's form: a URL that may hold the image itself. */
function readImageUrl(url: string, detail: ImageDetail, texts: LargeTexts): ReadImage {
  if (/^https:\/\//i.test(url)) {
    if (url.length > 8_192 || !URL.canParse(url)) return "is not a valid https URL of at most 8,192 characters";
    return { type: "image", detail, source: { kind: "url", url } };
  }
  if (!/^data:/i.test(url)) return "must be an https URL or a data URL: data:image/png;base64,…";
  const comma = url.slice(0, MAX_DATA_HEAD).indexOf(",");
  const [type = "", ...parameters] = url.slice("data:".length, Math.max(comma, 0)).split(";");
  if (type === "") return "is a data URL without a media type. Use data:image/png;base64,…";
  if (parameters.at(-1)?.toLowerCase() !== "base64") return "is a data URL that is not base64-encoded. Use data:image/png;base64,…";
  return readImageBytes(type, url.slice(comma + 1), detail, texts);
}

/** Media type and parameters of a data URL; they are split at each semicolon. */
const MAX_DATA_HEAD = 1_024;

/** From base64 and a media type. The type that the bytes show is used: providers refuse an image that is called another. */
function readImageBytes(mediaType: string, base64: string, detail: ImageDetail, texts: LargeTexts): ReadImage {
  if (!/^image\/(?:png|jpe?g|gif|webp)$/i.test(mediaType)) {
    return `is ${mediaType.slice(0, 64)}. Only PNG, JPEG, GIF and WebP images are supported, not PDF, audio, video or other files`;
  }
  const large = texts?.get(base64);
  const length = large ? large.length : base64.length;
  if (!large && !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return "is not base64. Use A-Z, a-z, 0-9, + and / without line breaks";
  if (length % 4 === 1 || length === 0) return length === 0 ? "is empty" : "is incomplete base64";
  const header = readImageHeader(new Base64Bytes(large ?? base64));
  if (!header) return "is not a readable PNG, JPEG, GIF or WebP image, or is incomplete";
  const { width, height } = header;
  if (width > MAX_IMAGE_EDGE || height > MAX_IMAGE_EDGE) {
    return `is ${width} x ${height} pixels; each side must be at most ${MAX_IMAGE_EDGE}`;
  }
  return { type: "image", detail, source: { kind: "bytes", mediaType: header.mediaType, base64: large ?? base64, width, height } };
}

/** An image and where it stands in the request. */
interface PlacedImage extends ImagePlace {
  image: ImagePart;
}

/** Where an image stands. */
export interface ImagePlace {
  /** In the request, for its issue. */
  path: string;
  /** In an older turn or in a tool's result: a line may stand in its place. */
  isKept?: boolean;
}

/** Reads the images of one request, as many as it may have, and gathers their problems. */
export class ImageReader {
  readonly #texts: LargeTexts;
  readonly #routes: Model["routes"];
  #count = 0;
  readonly #issues: Issue[] = [];
  readonly #placed: PlacedImage[] = [];

  constructor(texts: LargeTexts, { routes }: Pick<Model, "routes">) {
    this.#texts = texts;
    this.#routes = routes;
  }

  /** From a URL or a data URL. `detail` is high unless the request says otherwise: it is never left to the provider. */
  fromUrl(place: ImagePlace, url: string, detail?: string | null): [ImagePart | TextPart] | null {
    return this.#take(place, () => readImageUrl(url, readDetail(detail), this.#texts));
  }

  fromBytes(place: ImagePlace, { mediaType, data }: { mediaType: string; data: string }): [ImagePart | TextPart] | null {
    return this.#take(place, () => readImageBytes(mediaType, data, "high", this.#texts));
  }

  /** All problems of the images, with those that their model cannot take, once all are read. */
  findIssues(): Issue[] {
    if (this.#issues.length > 0) return this.#issues;
    const leftOut = this.#findLeftOut();
    const sent = this.#placed.filter(({ image }) => !leftOut.has(image.source));
    return sent.flatMap(({ path, image }) => {
      const message = this.#problemOf(image, sent.length);
      return message ? [{ path, message }] : [];
    });
  }

  /** The messages, once all are read, with a line for each older image that their model does not take beside so many others. */
  leaveOut(messages: ChatMessage[]): ChatMessage[] {
    const leftOut = this.#findLeftOut();
    if (leftOut.size === 0) return messages;
    const shown = (part: ContentPart): ContentPart => {
      if (part.type !== "image" || !leftOut.has(part.source)) return part;
      return part.cache ? { ...notShown("An image"), cache: part.cache } : notShown("An image");
    };
    return messages.map((message) => (typeof message.content === "string" ? message : { ...message, content: message.content.map(shown) }));
  }

  #findLeftOut(): Set<ImagePart["source"]> {
    const count = this.#placed.length;
    const kept = this.#placed.filter(({ isKept, image }) => isKept && this.#problemOf(image, count) !== undefined);
    return new Set(kept.map(({ image }) => image.source));
  }

  #problemOf(image: ImagePart, count: number): string | undefined {
    return this.#routes.map((route) => imageProblem(image, count, route)).find((found) => found !== null) ?? undefined;
  }

  #take({ path, isKept = false }: ImagePlace, readImage: () => ReadImage): [ImagePart | TextPart] | null {
    // Not counted: none of them is sent, and a long session may have hundreds.
    if (isKept && !this.#routes.every(takesImages)) return [notShown("An image")];
    this.#count += 1;
    if (this.#count > MAX_IMAGES) {
      if (this.#count === MAX_IMAGES + 1) this.#issues.push({ path, message: surplusText });
      return null;
    }
    const read = readImage();
    if (isKept && (typeof read === "string" || this.#problemOf(read, 1) !== undefined)) return [notShown("An image")];
    if (typeof read === "string") {
      this.#issues.push({ path, message: read });
      return null;
    }
    this.#placed.push({ path, isKept, image: read });
    return [read];
  }
}

const surplusText = `is image ${MAX_IMAGES + 1}, but a request can have at most ${MAX_IMAGES}`;

const readDetail = (detail: string | null | undefined): ImageDetail => (detail === "low" || detail === "original" ? detail : "high");

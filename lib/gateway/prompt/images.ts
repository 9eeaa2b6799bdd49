// Images of a request: read from their dialect's form, measured from their first bytes, and checked against what the model takes. Nothing
// is fetched and nothing is decoded: providers count what a header says, and refuse an image whose content is another.

import { disableTypes, imageSize } from "image-size";
import type { LargeText } from "@/lib/base/large-text";
import { processSingleton } from "@/lib/base/process-singleton";
import { imageProblem, MAX_IMAGE_EDGE, MAX_IMAGES } from "@/lib/providers/image-bound/limits";
import type { ImageDetail, ImageMediaType, ImagePart } from "@/lib/providers/image-types";
import type { Model } from "@/lib/providers/types";
import type { GatewayRequest, Issue } from "../http/request";

type LargeTexts = GatewayRequest["largeTexts"];

/** An image, or why it is none. */
type ReadImage = ImagePart | string;

/** From OpenAI's form: a URL that may hold the image itself. */
function readImageUrl(url: string, detail: ImageDetail, texts: LargeTexts): ReadImage {
  if (/^https:\/\//i.test(url)) {
    if (!URL.canParse(url) || url.length > 8_192) return "is not a URL that a provider could fetch";
    return { type: "image", detail, source: { kind: "url", url } };
  }
  if (!/^data:/i.test(url)) return "must be an https URL or a data URL: data:image/png;base64,…";
  const comma = url.indexOf(",");
  const [type = "", ...parameters] = url.slice("data:".length, Math.max(comma, 0)).split(";");
  if (type === "") return "is a data URL without a media type: write data:image/png;base64,…";
  if (parameters.at(-1)?.toLowerCase() !== "base64") return "is a data URL that is not in base64: write data:image/png;base64,…";
  return readImageBytes(type, url.slice(comma + 1), detail, texts);
}

const mediaTypes: Record<string, ImageMediaType> = { png: "image/png", jpg: "image/jpeg", gif: "image/gif", webp: "image/webp" };

/** From base64 and a media type. The type that the bytes show is used: providers refuse an image that is called another. */
function readImageBytes(mediaType: string, base64: string, detail: ImageDetail, texts: LargeTexts): ReadImage {
  if (!/^image\/(?:png|jpe?g|gif|webp)$/i.test(mediaType)) {
    return `is ${mediaType.slice(0, 64)}: only PNG, JPEG, GIF and WebP images are taken, no PDF, audio, video or other files`;
  }
  const large = texts?.get(base64);
  const length = large ? large.length : base64.length;
  if (!large && !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return "is not base64: write A-Z, a-z, 0-9, + and / without line breaks";
  if (length % 4 === 1 || length === 0) return length === 0 ? "is empty" : "is base64 that was cut off";
  const head = readHead(large ?? base64);
  const size = measure(head);
  if (!size) return "is not a PNG, JPEG, GIF or WebP image that can be read, or was cut off";
  const { width, height } = size;
  if (width > MAX_IMAGE_EDGE || height > MAX_IMAGE_EDGE) {
    return `is ${width} x ${height} pixels: each edge may have at most ${MAX_IMAGE_EDGE}`;
  }
  return { type: "image", detail, source: { kind: "bytes", mediaType: size.mediaType, base64: large ?? base64, width, height } };
}

/** A multiple of four. A JPEG's size follows its metadata, which takes some hundred kilobytes at the most. */
const HEAD_CHARACTERS = 1_048_576;

function readHead(base64: string | LargeText): Buffer {
  const head = typeof base64 === "string" ? base64.slice(0, HEAD_CHARACTERS) : base64.bytes.toString("latin1", 0, HEAD_CHARACTERS);
  return Buffer.from(head, "base64");
}

// The library's readers of boxes (HEIF, JPEG XL, ICNS) have run for ever on hostile input: they are switched off, and never asked.
const onlyFourTypes = processSingleton("image types", () => {
  disableTypes(["bmp", "cur", "dds", "heif", "icns", "ico", "j2c", "jp2", "jxl", "jxl-stream", "ktx", "pnm", "psd", "svg", "tga", "tiff"]);
  return true;
});

const signatures: readonly (readonly [number, string])[] = [
  [0, "\x89PNG\r\n\x1a\n"],
  [0, "\xff\xd8\xff"],
  [0, "GIF87a"],
  [0, "GIF89a"],
  [8, "WEBP"],
];

function measure(head: Buffer): { width: number; height: number; mediaType: ImageMediaType } | null {
  onlyFourTypes();
  if (!signatures.some(([at, text]) => head.toString("latin1", at, at + text.length) === text)) return null;
  try {
    const { width, height, type = "" } = imageSize(head);
    const mediaType = mediaTypes[type];
    if (!mediaType || !(width > 0) || !(height > 0)) return null;
    const frame = mediaType === "image/gif" ? firstFrame(head) : null;
    // A decoder may enlarge the canvas to its first frame.
    return { width: Math.max(width, frame?.width ?? 0), height: Math.max(height, frame?.height ?? 0), mediaType };
  } catch {
    return null; // the library throws at whatever it cannot read
  }
}

/** Where the first frame of a GIF ends: its descriptor follows the colours and any extensions. */
function firstFrame(gif: Buffer): { width: number; height: number } | null {
  const flags = gif[10] ?? 0;
  let at = 13 + (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  while (gif[at] === 0x21) {
    at += 2;
    for (let length = gif[at] ?? 0; length > 0; length = gif[at] ?? 0) at += length + 1;
    at += 1;
  }
  if (gif[at] !== 0x2c || at + 9 > gif.length) return null;
  return { width: gif.readUInt16LE(at + 1) + gif.readUInt16LE(at + 5), height: gif.readUInt16LE(at + 3) + gif.readUInt16LE(at + 7) };
}

/** An image and where it stands in the request. */
interface PlacedImage {
  path: string;
  image: ImagePart;
}

/** What of a request's images its model cannot take. */
function findImageIssues(images: readonly PlacedImage[], { routes }: Pick<Model, "routes">): Issue[] {
  const surplus = images[MAX_IMAGES];
  if (surplus) return [{ path: surplus.path, message: `is image ${MAX_IMAGES + 1}: a request may have at most ${MAX_IMAGES}` }];
  return images.flatMap(({ path, image }) => {
    const problem = routes.map((route) => imageProblem(image, images.length, route)).find((found) => found !== null);
    return problem ? [{ path, message: problem }] : [];
  });
}

/** Reads the images of one request, and gathers what is wrong with them. */
export class ImageReader {
  readonly #texts: LargeTexts;
  readonly #issues: Issue[] = [];
  readonly #placed: PlacedImage[] = [];

  constructor(texts: LargeTexts) {
    this.#texts = texts;
  }

  /** From a URL or a data URL. `detail` is high unless the request says otherwise: it is never left to the provider. */
  fromUrl(path: string, url: string, detail?: string | null): [ImagePart] | null {
    return this.#take(path, readImageUrl(url, readDetail(detail), this.#texts));
  }

  fromBytes(path: string, { mediaType, data }: { mediaType: string; data: string }): [ImagePart] | null {
    return this.#take(path, readImageBytes(mediaType, data, "high", this.#texts));
  }

  /** Everything that the images' model cannot take, once all are read. */
  findIssues(model: Pick<Model, "routes">): Issue[] {
    return this.#issues.length > 0 ? this.#issues : findImageIssues(this.#placed, model);
  }

  #take(path: string, read: ReadImage): [ImagePart] | null {
    if (typeof read === "string") {
      this.#issues.push({ path, message: read });
      return null;
    }
    this.#placed.push({ path, image: read });
    return [read];
  }
}

const readDetail = (detail: string | null | undefined): ImageDetail => (detail === "low" || detail === "original" ? detail : "high");

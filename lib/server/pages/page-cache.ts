// Public pages, rendered once a minute instead of once a request: the same for everybody with the same theme and the same answer to
// "signed in?". Their scripts are allowed by hashes, since a kept page cannot carry a new nonce for each reader.

import { createHash } from "node:crypto";
import { createServer, get, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { nowMs } from "@/lib/base/clock";
import { openSocketPlace } from "../processes/socket-path";

export interface PageVariant {
  path: string;
  /** The values of the cookies that a public page reads. */
  theme: string | undefined;
  isSignedIn: boolean;
}

interface KeptPage {
  headers: OutgoingHttpHeaders;
  body: Buffer;
  gzip: Buffer;
  brotli: Buffer;
  renderedAtMs: number;
}

/** Prices have dates, so a page does not stay for ever. */
const FRESH_MS = 60_000;
const MOST_PAGES = 256;
const MOST_BYTES = 64 * 1_048_576;

export interface PageCacheOptions {
  /** Renders a page with a policy of its own; the cache replaces it. */
  render: (message: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** The Content-Security-Policy of a page whose inline scripts have these hashes. */
  policy: (hashes: readonly string[]) => string;
  /** The Cookie header of a browser that gets this variant. */
  cookieOf: (variant: PageVariant) => string;
}

export class PageCache {
  readonly #options: PageCacheOptions;
  readonly #pages = new Map<string, KeptPage>();
  readonly #rendering = new Map<string, Promise<KeptPage | null>>();
  #bytes = 0;
  #inside: Promise<Inside> | undefined;

  constructor(options: PageCacheOptions) {
    this.#options = options;
  }

  /** Answers with a page that was rendered within the last minute. False: there is none. */
  showKept(variant: PageVariant, message: IncomingMessage, response: ServerResponse): boolean {
    const kept = this.#pages.get(JSON.stringify(variant));
    const ageMs = kept ? nowMs() - kept.renderedAtMs : Number.POSITIVE_INFINITY;
    if (!kept || ageMs < 0 || ageMs >= FRESH_MS) return false;
    write(kept, message, response);
    return true;
  }

  /** Renders the page, once for all who ask meanwhile, and answers with it. False: it is none to keep. */
  async show(variant: PageVariant, message: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const page = await this.#renderOnce(JSON.stringify(variant), variant);
    if (!page) return false;
    write(page, message, response);
    return true;
  }

  async close(): Promise<void> {
    (await this.#inside)?.close();
  }

  #renderOnce(key: string, variant: PageVariant): Promise<KeptPage | null> {
    const under = this.#rendering.get(key);
    if (under) return under;
    const rendering = this.#render(variant)
      .then((page) => {
        if (page) this.#keep(key, page);
        return page;
      })
      .finally(() => this.#rendering.delete(key));
    this.#rendering.set(key, rendering);
    return rendering;
  }

  async #render(variant: PageVariant): Promise<KeptPage | null> {
    this.#inside ??= openInside(this.#options.render);
    const { statusCode, headers, body } = await (await this.#inside).get(variant.path, this.#options.cookieOf(variant));
    const isPage = statusCode === 200 && headers["content-type"]?.startsWith("text/html") && headers["set-cookie"] === undefined;
    if (!isPage) return null;
    const [zipped, brotli] = await Promise.all([promisify(gzip)(body), promisify(brotliCompress)(body, brotliOptions)]);
    const lasting = Object.fromEntries(Object.entries(headers).filter(([name]) => !ofAnswer.has(name)));
    return {
      headers: { ...lasting, "content-security-policy": this.#options.policy(hashScripts(body)) },
      body,
      gzip: zipped,
      brotli,
      renderedAtMs: nowMs(),
    };
  }

  #keep(key: string, page: KeptPage): void {
    this.#forget(key);
    this.#pages.set(key, page);
    this.#bytes += sizeOf(page);
    for (const [oldest] of this.#pages) {
      if (this.#pages.size <= MOST_PAGES && this.#bytes <= MOST_BYTES) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const page = this.#pages.get(key);
    if (!page) return;
    this.#pages.delete(key);
    this.#bytes -= sizeOf(page);
  }
}

/** Of brotli's levels the last that costs less than gzip's own; a page is compressed once a minute. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

const ofAnswer = new Set(["date", "connection", "keep-alive", "transfer-encoding", "content-length", "content-encoding"]);

const sizeOf = ({ body, gzip: zipped, brotli }: KeptPage): number => body.length + zipped.length + brotli.length;

/** Hashes of the inline scripts, in the form of a policy's source. React writes every script's end tag as we look for it. */
export function hashScripts(html: Buffer): string[] {
  const text = html.toString("utf8");
  const hashes = new Set<string>();
  for (let at = text.indexOf("<script"); at >= 0; at = text.indexOf("<script", at)) {
    const begin = text.indexOf(">", at) + 1;
    const end = text.indexOf("</script>", begin);
    if (begin === 0 || end < 0) break;
    const isInline = !text.slice(at, begin).includes(" src=");
    if (isInline) hashes.add(`'sha256-${createHash("sha256").update(text.slice(begin, end)).digest("base64")}'`);
    at = end;
  }
  return [...hashes];
}

function write(page: KeptPage, { method, headers }: IncomingMessage, response: ServerResponse): void {
  const accepted = [headers["accept-encoding"] ?? ""].flat().join(",").slice(0, 200);
  const encoding = /\bbr\b/.test(accepted) ? "br" : /\bgzip\b/.test(accepted) ? "gzip" : undefined;
  const body = encoding === "br" ? page.brotli : encoding === "gzip" ? page.gzip : page.body;
  response.writeHead(200, { ...page.headers, "content-length": body.length, ...(encoding && { "content-encoding": encoding }) });
  response.end(method === "HEAD" ? undefined : body);
}

interface Inside {
  get: (path: string, cookie: string) => Promise<{ statusCode: number; headers: IncomingMessage["headers"]; body: Buffer }>;
  close: () => void;
}

/** A server for this process alone: Next answers requests, and a page to keep is asked for like any other. */
async function openInside(render: PageCacheOptions["render"]): Promise<Inside> {
  const place = openSocketPlace();
  const server = createServer({ requireHostHeader: false, keepAliveTimeout: 0 }, (message, response) => {
    render(message, response).catch(() => response.destroy());
  });
  await new Promise<void>((done, failed) => server.once("error", failed).listen(place.path, done));
  server.unref();
  return {
    get: (path, cookie) =>
      new Promise((done, failed) => {
        const headers = { accept: "text/html", "accept-encoding": "identity", ...(cookie && { cookie }) };
        get({ socketPath: place.path, path, headers }, (answer) => {
          buffer(answer).then((body) => done({ statusCode: answer.statusCode ?? 500, headers: answer.headers, body }), failed);
        }).once("error", failed);
      }),
    close: () => {
      server.close();
      server.closeAllConnections();
      place.remove();
    },
  };
}

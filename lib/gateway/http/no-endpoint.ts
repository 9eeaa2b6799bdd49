// Refusals before any endpoint: of an unknown path, of a wrong method, and while the process shuts down. Each has the form that the client of
// its path reads. A base URL is easily wrong by a /api or a /v1: the refusal then names the path that was meant.

import { AppError } from "@/lib/base/errors";
import { publicUrl } from "@/lib/base/public-url";
import { chatErrorBody } from "../chat/errors";
import { messagesTraits } from "../messages/messages";
import { type Endpoint, type EndpointTraits, endpoint } from "./endpoint";
import type { GatewayRequest } from "./request";

const API = "/api/v1";

/** A part that clients put before a path, or repeat: their base URL has it already, or lacks it. */
const REPEATED = /^(?:\/(?:api|v1|v1beta|openai|anthropic))+(?=\/|$)/;

/** Such a path as it stands below /api/v1: `/v1/v1/models` becomes `/models`. */
const plainPath = (path: string): string => path.replace(REPEATED, "");

/** Paths of OpenAI's and Anthropic's clients with a base URL that lacks /api/v1. `/models` alone is a page. */
const BARE = /^\/(?:chat\/completions|completions|responses|embeddings|messages(?:\/count_tokens)?)$/;

/** A base URL by itself: agents open their connection with `HEAD /api`, for which a page would be built. */
const BASE = /^\/api(?:\/v1)?\/?$/;

export const isMisplaced = (path: string): boolean => /^\/v1(?:\/|$)/.test(path) || BARE.test(path) || BASE.test(path);

const openai: EndpointTraits = { writeError: chatErrorBody };

/** The form of errors that the client of this path reads. A list of models is asked for by clients of all kinds, which say who they are. */
function dialectOf({ path, headers }: GatewayRequest): EndpointTraits {
  const plain = plainPath(path);
  if (/^\/messages(?:\/|$)/.test(plain)) return messagesTraits;
  if (/^\/(?:chat|completions|responses|embeddings)(?:\/|$)/.test(plain)) return openai;
  if (!/^\/models(?:\/|$)/.test(plain)) return {};
  if (headers["anthropic-version"] !== undefined) return messagesTraits;
  return headers["x-stainless-lang"] === undefined ? {} : openai;
}

/** An endpoint whose errors take its client's form. */
export function inDialect(name: string, steps: Endpoint): Endpoint {
  const byForm = new Map<EndpointTraits["writeError"], Endpoint>();
  return (request) => {
    const traits = dialectOf(request);
    const known = byForm.get(traits.writeError) ?? endpoint(name, steps, traits);
    byForm.set(traits.writeError, known);
    return known(request);
  };
}

/** An endpoint that only refuses. */
const refusal = (name: string, refuse: (request: GatewayRequest) => AppError): Endpoint =>
  inDialect(name, async (request) => {
    throw refuse(request);
  });

/** `isKnown` says whether a path has an endpoint. */
export const notFound = (isKnown: (path: string) => boolean): Endpoint =>
  refusal("unknown", ({ path }) => {
    const meant = API + plainPath(path);
    const cure = isKnown(meant) && meant !== path ? `. Send it to ${publicUrl()}${meant}` : elsewhere(path);
    return new AppError("NOT_FOUND", { message: `Not found: ${path.slice(0, 200)}${cure}` });
  });

const elsewhere = (path: string): string => (path.startsWith(`${API}/`) ? "" : `. API paths begin with ${API}/`);

export const shuttingDown: Endpoint = refusal("draining", () => new AppError("SHUTTING_DOWN"));

export function methodNotAllowed(methods: readonly string[]): Endpoint {
  const allow = methods.join(", ");
  return refusal("unknown", ({ path, method }) => {
    const message = `${path} accepts ${allow}, not ${method.slice(0, 20)}`;
    return new AppError("METHOD_NOT_ALLOWED", { message, headers: { allow } });
  });
}

/** OpenAI's agents offer a websocket first, and go on over HTTP after this answer. */
export const refuseWebSocket = endpoint(
  "websocket",
  async () => {
    const message = "This endpoint only works over HTTP. Send POST /api/v1/responses with stream: true";
    throw new AppError("INVALID_REQUEST", { message, headers: { upgrade: "HTTP/1.1", connection: "upgrade" } });
  },
  { writeError: chatErrorBody, statusOf: () => 426 },
);

export const isWebSocketOffer = ({ path, headers }: GatewayRequest): boolean =>
  path === "/api/v1/responses" && headers.upgrade?.toLowerCase() === "websocket";

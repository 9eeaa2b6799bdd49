// The router table: every path of the API, its methods, and their endpoints. Both HTTP servers pass their requests here.

import { config } from "@/lib/base/config";
import { AppError } from "@/lib/base/errors";
import { chatCompletions } from "../chat/completions";
import { embeddings } from "../embeddings/endpoint";
import { countTokens, createMessage } from "../messages/messages";
import { openapi } from "../openapi/endpoint";
import { prompt } from "../prompt/pipeline";
import { quote } from "../prompt/quote-endpoint";
import { audit } from "../reads/audit";
import { balance } from "../reads/balance";
import { deposits } from "../reads/deposits";
import { events } from "../reads/events";
import { model, models } from "../reads/models";
import { paymentTerms } from "../reads/payment-terms";
import { receipt } from "../reads/receipt";
import { usage } from "../reads/usage";
import { responses } from "../responses/responses";
import { x402Discovery } from "../x402/discovery";
import { x402Prompt } from "../x402/prompt";
import { allowOrigin, answerPreflight, isAllowed, walletPaths } from "./cors";
import { type Endpoint, endpoint, isDraining } from "./endpoint";
import { health, metricsText, ready } from "./health";
import { isWebSocketOffer, methodNotAllowed, notFound, refuseWebSocket, shuttingDown } from "./no-endpoint";
import { isNormalPath, refuseOddPath } from "./normal-path";
import { type GatewayReply, type GatewayRequest, type IncomingRequest, openRequest } from "./request";

const routes: Record<string, Record<string, Endpoint>> = {
  "/api/v1/prompt": { POST: prompt },
  "/api/v1/chat/completions": { POST: chatCompletions },
  "/api/v1/responses": { POST: responses },
  "/api/v1/embeddings": { POST: embeddings },
  "/api/v1/x402/prompt": { POST: x402Prompt },
  "/api/v1/models": { GET: models },
  "/api/v1/balance": { GET: balance },
  "/api/v1/usage": { GET: usage },
  "/api/v1/deposits": { GET: deposits },
  "/api/v1/events": { GET: events },
  "/api/v1/audit": { GET: audit },
  "/api/v1/quote": { POST: quote },
  "/api/v1/messages": { POST: createMessage },
  "/api/v1/messages/count_tokens": { POST: countTokens },
  "/api/v1/payment-terms": { GET: paymentTerms },
  "/api/v1/openapi.json": { GET: openapi },
  "/.well-known/x402": { GET: x402Discovery },
  "/api/health": { GET: health },
  "/api/ready": { GET: ready },
  "/api/metrics": { GET: metricsText },
};

/** By the path before the last slash; an id follows it, which the endpoint reads. */
const routesWithId: Record<string, Record<string, Endpoint>> = {
  "/api/v1/requests": { GET: receipt },
  "/api/v1/models": { GET: model },
};

/** Every route, as `POST /api/v1/prompt`; where an id follows the path, it ends with `/{id}`. */
export const listRoutes = (): string[] =>
  [...Object.entries(routes), ...Object.entries(routesWithId).map(([path, methods]) => [`${path}/{id}`, methods] as const)].flatMap(
    ([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`),
  );

const alwaysOpen = new Set(["/api/health", "/api/ready", "/api/metrics"]);

function findMethods(path: string): Record<string, Endpoint> | undefined {
  if (Object.hasOwn(routes, path)) return routes[path];
  const slashAt = path.lastIndexOf("/");
  const parent = path.slice(0, slashAt);
  return slashAt < path.length - 1 && Object.hasOwn(routesWithId, parent) ? routesWithId[parent] : undefined;
}

const unknownPath = notFound((path) => findMethods(path) !== undefined);

function findEndpoint(request: GatewayRequest): Endpoint {
  // A path of the table is in normal form: it costs no second look.
  if (!Object.hasOwn(routes, request.path) && !isNormalPath(request.path)) return refuseOddPath;
  const methods = findMethods(request.path);
  // While the process shuts down, too: a page could not read why its request is refused.
  if (request.method === "OPTIONS" && isAllowed(request)) return answerPreflight(methods && Object.keys(methods));
  if (!methods) return unknownPath;
  if (isDraining() && !alwaysOpen.has(request.path)) return shuttingDown;
  // The HTTP server leaves out the body.
  const method = request.method === "HEAD" ? "GET" : request.method;
  if (Object.hasOwn(methods, method) && methods[method]) return methods[method] as Endpoint;
  return isWebSocketOffer(request) ? refuseWebSocket : methodNotAllowed(Object.keys(methods));
}

const elsewhere = endpoint("elsewhere", async (request) => {
  const message = `This process does not answer the API. Send ${request.path.slice(0, 200)} to one with ROLES=api`;
  throw new AppError("NOT_FOUND", { message });
});

/** Answers every request of a process without the role `api`. Never throws. */
export const answerElsewhere = (incoming: IncomingRequest): Promise<GatewayReply> => elsewhere(openRequest(incoming));

/** Answers one request. Never throws. */
export function answer(incoming: IncomingRequest): Promise<GatewayReply> {
  const request = openRequest(incoming);
  if (config().CORS_ORIGINS.length > 0 || walletPaths.has(request.path)) allowOrigin(request);
  return findEndpoint(request)(request);
}

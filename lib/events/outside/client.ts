// Requests to addresses that an owner has named: to public addresses only, without redirects, within a time limit, and with an answer of
// which nothing but its status and size is read.

import { isIP, type LookupFunction } from "node:net";
import { Agent, type Dispatcher, request } from "undici";
import { processSingleton } from "@/lib/base/process-singleton";
import { AddressRefused, bareHost, publicAddresses } from "./addresses";
import { readTarget } from "./target";

/** Connecting, sending and waiting for the status. */
const WITHIN_MS = 15_000;
/** Of the answer's body: it is read only so that the connection can be used again. */
const BODY_WITHIN_MS = 2_000;
const MAX_BODY_BYTES = 65_536;

export interface OutsideAnswer {
  /** Missing when there was no answer. */
  status?: number;
  /** Size of the answer's body, as far as it was read. */
  bytes?: number;
  /** Why there was no answer, or why its body was cut. */
  error?: string;
  retryAfter?: string;
}

export interface OutsideRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

export interface OutsideClient {
  /** Never throws, unless `stopping` aborts. */
  post(wanted: OutsideRequest): Promise<OutsideAnswer>;
  close(): Promise<void>;
}

const trusted = processSingleton<{ certificates?: string }>("certificates trusted outside", () => ({}));

/** Trusts these certificates instead of the public authorities'. Only tests call this. */
export function setTrustedCertificates(certificates: string | undefined): void {
  if (certificates === undefined) delete trusted().certificates;
  else trusted().certificates = certificates;
}

/** Connections are kept for the requests of one client; the addresses of each were checked when it was made. */
export function openOutsideClient(stopping: AbortSignal, withinMs = WITHIN_MS): OutsideClient {
  const ca = trusted().certificates;
  const agent = new Agent({
    connect: { lookup: lookupPublic, timeout: withinMs, ...(ca !== undefined && { ca }) },
    connections: 1,
    headersTimeout: withinMs,
    bodyTimeout: withinMs,
  });
  return {
    post: (wanted) => post(wanted, { agent, stopping, withinMs }),
    close: () => agent.destroy(),
  };
}

/** Node connects to what this answers, and asks for no name a second time; the certificate is held against the name. */
const lookupPublic: LookupFunction = (name, options, callback) => {
  publicAddresses(name).then(
    (addresses) => {
      const found = addresses.map((address) => ({ address, family: isIP(address) }));
      if (options.all) callback(null, found);
      else callback(null, found[0]?.address ?? "", found[0]?.family);
    },
    (error: NodeJS.ErrnoException) => callback(error, []),
  );
};

interface PostContext {
  agent: Agent;
  stopping: AbortSignal;
  withinMs: number;
}

async function post({ url, headers, body }: OutsideRequest, { agent, stopping, withinMs }: PostContext): Promise<OutsideAnswer> {
  const tooLate = AbortSignal.timeout(withinMs);
  try {
    const target = readTarget(url);
    if (!target.ok) return { error: target.problem };
    // An address needs no look-up, so it is checked here; a name is looked up and checked when a connection is made.
    if (isIP(bareHost(target.url.hostname)) !== 0) await publicAddresses(target.url.hostname);
    const signal = AbortSignal.any([stopping, tooLate]);
    const answer = await request(target.url, { method: "POST", headers, body, dispatcher: agent, signal });
    const { "retry-after": retryAfter } = answer.headers;
    return {
      status: answer.statusCode,
      ...(typeof retryAfter === "string" && { retryAfter }),
      ...(await readSize(answer.body)),
    };
  } catch (error) {
    if (stopping.aborted) throw error;
    return { error: tooLate.aborted ? `No answer within ${withinMs / 1_000} seconds.` : describeFailure(error) };
  }
}

async function readSize(body: Dispatcher.ResponseData["body"]): Promise<Pick<OutsideAnswer, "bytes" | "error">> {
  let bytes = 0;
  const cut = setTimeout(() => body.destroy(), BODY_WITHIN_MS);
  try {
    for await (const chunk of body) {
      bytes += (chunk as Buffer).length;
      if (bytes > MAX_BODY_BYTES) return { bytes: MAX_BODY_BYTES, error: "The answer was cut after 64 kB." };
    }
    return { bytes };
  } catch {
    return { bytes, error: "The answer did not end in time and was cut." };
  } finally {
    clearTimeout(cut);
    body.destroy();
  }
}

const failures: Readonly<Record<string, string>> = {
  ECONNREFUSED: "The connection was refused.",
  ECONNRESET: "The connection was closed before an answer.",
  UND_ERR_SOCKET: "The connection was closed before an answer.",
  UND_ERR_CONNECT_TIMEOUT: "No connection in time.",
  UND_ERR_HEADERS_TIMEOUT: "No answer in time.",
  UND_ERR_HEADERS_OVERFLOW: "The answer's headers are too large.",
  ETIMEDOUT: "No connection in time.",
  EHOSTUNREACH: "The address cannot be reached.",
  ENETUNREACH: "The address cannot be reached.",
  CERT_HAS_EXPIRED: "The certificate has expired.",
  CERT_NOT_YET_VALID: "The certificate is not valid yet.",
  DEPTH_ZERO_SELF_SIGNED_CERT: "The certificate is self-signed.",
  SELF_SIGNED_CERT_IN_CHAIN: "The certificate is not from a public authority.",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "The certificate is not from a public authority, or its chain is not complete.",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "The certificate is not from a public authority.",
  ERR_TLS_CERT_ALTNAME_INVALID: "The certificate is for another name.",
};

/** For the endpoint's owner: never the text of an error, which may tell of our own network. */
function describeFailure(error: unknown): string {
  if (error instanceof AddressRefused) return error.message;
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (typeof code === "string" && Object.hasOwn(failures, code)) return failures[code] ?? "";
  if (cause !== undefined && cause !== null) return describeFailure(cause);
  const [first] = error instanceof AggregateError ? error.errors : [];
  if (first !== undefined) return describeFailure(first);
  if ((error as Error).name === "HTTPParserError") return "The answer is not HTTP.";
  return typeof code === "string" && /^(ERR_SSL|EPROTO|ERR_TLS)/.test(code) ? "A TLS connection could not be made." : "The request failed.";
}

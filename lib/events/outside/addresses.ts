// Which addresses may be reached for an owner who names a URL: public ones only, never our own network. A name is resolved when a
// connection is made, all its addresses are checked, and the connection goes to a checked one: a name that resolves to another address at
// the next look gains nothing.

import { Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { config } from "@/lib/base/config";
import { processSingleton } from "@/lib/base/process-singleton";

/** An address that is refused, or a name without any. The message is for the endpoint's owner. */
export class AddressRefused extends Error {}

type Resolve = (name: string) => Promise<readonly string[]>;

/**
 * Looks names up over the event loop, for two seconds at most. `dns.lookup` would hold one of libuv's four threads for as long as a name
 * server takes: four names whose server does not answer would hold up the files, the hashes and the look-ups of the whole process.
 * `servers` (`address:port`) stand in for the machine's own in tests.
 */
export function openResolver(servers?: readonly string[]): Resolve {
  const names = new Resolver({ timeout: 2_000, tries: 1 });
  if (servers) names.setServers(servers);
  return async (name) => {
    const [v4, v6] = await Promise.allSettled([names.resolve4(name), names.resolve6(name)]);
    const found = [v4, v6].flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    if (found.length === 0 && v4.status === "rejected") throw v4.reason;
    return found;
  };
}

const resolver = processSingleton<{ resolve: Resolve }>("resolver of names outside", () => ({ resolve: openResolver() }));

/** Replaces the resolver; returns a function that restores it. Only tests call this. */
export function setResolver(resolve: Resolve): () => void {
  const before = resolver().resolve;
  resolver().resolve = resolve;
  return () => {
    resolver().resolve = before;
  };
}

/**
 * The addresses of a URL's host, each checked.
 * @throws AddressRefused
 */
export async function publicAddresses(host: string): Promise<string[]> {
  const name = bareHost(host);
  if (isOwnMachine(name)) return [name === "localhost" ? "127.0.0.1" : name];
  const addresses = isIP(name) ? [name] : await resolve(name);
  if (addresses.length === 0) throw new AddressRefused(`The host ${name} has no address.`);
  const refused = addresses.find((address) => !isPublic(address));
  // Our resolver may know names that the public one does not: what it answers is nobody else's business.
  if (refused !== undefined)
    throw new AddressRefused(
      isIP(name) ? `${name} is not a public address.` : `The host ${name} resolves to an address that is not public.`,
    );
  return [...addresses];
}

/** A URL's host without the brackets around an IPv6 address. */
export const bareHost = (host: string): string => host.replace(/^\[|\]$/g, "");

async function resolve(name: string): Promise<readonly string[]> {
  try {
    return await resolver().resolve(name);
  } catch (cause) {
    throw new AddressRefused(`The host ${name} cannot be resolved.`, { cause });
  }
}

/** A sandbox sends to programs beside it, if their address says so; a name that leads here is refused there too. */
export const isOwnMachine = (name: string): boolean =>
  config().MODE === "sandbox" && (name === "localhost" || (isIP(name) !== 0 && ipaddr.parse(name).range() === "loopback"));

/** All public IPv6 addresses lie here; outside of it are local ones, and those in which an IPv4 address is hidden. */
const globalIpv6 = ipaddr.IPv6.parseCIDR("2000::/3");

export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  return parsed instanceof ipaddr.IPv6 ? parsed.match(globalIpv6) : true;
}

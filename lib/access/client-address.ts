// The address of a client. Anybody can write X-Forwarded-For, so it counts only from a direct peer that the operator trusts, and is
// read from the right: each proxy appends the address of its own peer, so everything left of the first untrusted address is hearsay.

import { BlockList, isIP, isIPv4 } from "node:net";
import { config } from "@/lib/base/config";
import { processSingleton } from "@/lib/base/process-singleton";

export interface TrustedProxies {
  /** False without any trusted proxy: then no header is read. */
  readonly any: boolean;
  trusts(address: string): boolean;
}

/** The proxies that TRUSTED_PROXIES names. Call it once at start: it throws on an invalid entry. */
export const trustedProxies = processSingleton<TrustedProxies>("trustedProxies", () => readTrustedProxies(config().TRUSTED_PROXIES));

/**
 * Reads addresses, CIDR blocks and the word `loopback`.
 * @throws Error that names every invalid entry and says what to write
 */
export function readTrustedProxies(entries: readonly string[]): TrustedProxies {
  const list = new BlockList();
  const bad = entries.filter((entry) => !addEntry(list, entry));
  if (bad.length > 0) {
    const named = bad.map((entry) => JSON.stringify(entry)).join(", ");
    throw new Error(
      `TRUSTED_PROXIES: ${named} cannot be read; write addresses or CIDR blocks with commas between, like 10.0.0.0/8,fd00::/8,192.0.2.7, or the word loopback`,
    );
  }
  return {
    any: entries.length > 0,
    trusts: (address) => list.check(address, isIPv4(address) ? "ipv4" : "ipv6"),
  };
}

/** Whether this text is an address, or a block of addresses in CIDR form. */
export const isNetwork = (text: string): boolean => addNetwork(new BlockList(), text);

/** Whether an address lies in one of these addresses and blocks. */
export function isInNetworks(address: string, networks: readonly string[]): boolean {
  const list = new BlockList();
  for (const network of networks) addNetwork(list, network);
  return isIP(address) !== 0 && list.check(address, isIPv4(address) ? "ipv4" : "ipv6");
}

/** Whether all of an address or block lies in one of these. */
export function isWithinNetworks(network: string, networks: readonly string[]): boolean {
  const inner = readNetwork(network);
  return (
    inner !== null && networks.some((block) => isInNetworks(inner.address, [block]) && inner.prefix >= (readNetwork(block)?.prefix ?? 129))
  );
}

function addEntry(list: BlockList, entry: string): boolean {
  return entry === "loopback" ? addNetwork(list, "127.0.0.0/8") && addNetwork(list, "::1") : addNetwork(list, entry);
}

function addNetwork(list: BlockList, entry: string): boolean {
  const read = readNetwork(entry);
  if (read) list.addSubnet(read.address, read.prefix, isIPv4(read.address) ? "ipv4" : "ipv6");
  return read !== null;
}

function readNetwork(entry: string): { address: string; prefix: number } | null {
  const [text = "", bits, ...more] = entry.split("/");
  const address = plainAddress(text);
  if (address === null || more.length > 0) return null;
  const most = isIPv4(address) ? 32 : 128;
  if (bits === undefined) return { address, prefix: most };
  // ::ffff:10.0.0.0/104 is 10.0.0.0/8: peers are compared in IPv4 form.
  const prefix = /^\d{1,3}$/.test(bits) ? Number(bits) - (most === 32 && isIP(text) === 6 ? 96 : 0) : -1;
  return prefix < 0 || prefix > most ? null : { address, prefix };
}

/**
 * The client's address for limits and logs: the nearest hop that is not a trusted proxy.
 * @param remoteAddress the direct peer's; undefined when the connection is already gone, which gives "unknown"
 * @param forwardedFor the value of X-Forwarded-For, a repeated header's values joined by commas
 */
export function clientAddress(remoteAddress: string | undefined, forwardedFor: string | undefined, proxies: TrustedProxies): string {
  let client = remoteAddress === undefined ? null : plainAddress(remoteAddress);
  if (client === null) return "unknown";
  if (!proxies.any) return client;
  let rest = forwardedFor ?? "";
  while (rest !== "" && proxies.trusts(client)) {
    const comma = rest.lastIndexOf(",");
    const hop = plainAddress(withoutPort(rest.slice(comma + 1).trim()));
    if (hop === null) break;
    client = hop;
    rest = comma < 0 ? "" : rest.slice(0, comma);
  }
  return client;
}

/** The network that limits count an address as: an IPv4 address itself, the /64 of an IPv6 address, since one client holds a whole /64. */
export const networkOf = (address: string): string => prefixOf(address, 4);

/** The same for limits that last longer than a minute: an IPv6 address as its /48, the most that one site is given. */
export const siteOf = (address: string): string => prefixOf(address, 3);

function prefixOf(address: string, groupCount: 3 | 4): string {
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.split("::", 2);
  const left = head === "" ? [] : head.split(":");
  // The zeros of `::` fill the groups that the parts left and right of it do not; they may end within the first four.
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Math.max(0, 8 - left.length - right.length - (tail?.includes(".") ? 1 : 0));
  const groups = tail === undefined ? left : [...left, ...Array<string>(zeros).fill("0"), ...right];
  return `${groups
    .slice(0, groupCount)
    .map((group) => group.replace(/^0+(?=.)/, "").toLowerCase())
    .join(":")}::/${16 * groupCount}`;
}

// Dual-stack sockets report IPv4 peers as ::ffff:192.0.2.1, and link-local peers with a zone.
function plainAddress(text: string): string | null {
  const address = text.replace(/%.*/s, "");
  if (isIP(address) === 0) return null;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  return mapped?.[1] ?? address;
}

// Some proxies append the port: 192.0.2.1:4711, [2001:db8::1]:4711.
function withoutPort(hop: string): string {
  return /^\[(.+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop;
}

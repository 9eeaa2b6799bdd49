import { describe, expect, test } from "vitest";
import { clientAddress, networkOf, readTrustedProxies } from "./client-address";

const proxies = readTrustedProxies(["10.0.0.0/8", "fd00::/8", "192.0.2.7", "loopback"]);
const nobody = readTrustedProxies([]);

describe("the client's address", () => {
  test.each([
    ["a header from a stranger", "203.0.113.5", "198.51.100.1", "203.0.113.5"],
    ["no header", "10.0.0.1", undefined, "10.0.0.1"],
    ["an empty header", "10.0.0.1", "", "10.0.0.1"],
    ["one proxy", "10.0.0.1", "198.51.100.1", "198.51.100.1"],
    ["two proxies", "10.0.0.1", "198.51.100.1, 10.2.2.2", "198.51.100.1"],
    ["a forged first hop", "10.0.0.1", "1.1.1.1, 198.51.100.1", "198.51.100.1"],
    ["a forged hop that looks trusted", "10.0.0.1", "1.1.1.1, 10.9.9.9, 198.51.100.1", "198.51.100.1"],
    ["only trusted hops", "10.0.0.1", "10.0.0.3,10.0.0.2", "10.0.0.3"],
    ["a hop that is no address", "10.0.0.1", "198.51.100.1, unknown", "10.0.0.1"],
    ["a hop that is no address behind a good one", "10.0.0.1", "evil, 10.0.0.2", "10.0.0.2"],
    ["an empty hop", "10.0.0.1", "198.51.100.1,,10.0.0.2", "10.0.0.2"],
    ["an IPv4 peer on a dual-stack socket", "::ffff:10.0.0.1", "::ffff:198.51.100.1", "198.51.100.1"],
    ["loopback by its name", "::1", "2001:db8::5", "2001:db8::5"],
    ["IPv6 proxies", "fd00::1", "2001:db8::5, fd12::9", "2001:db8::5"],
    ["a peer with a zone", "fe80::1%eth0", "198.51.100.1", "fe80::1"],
    ["hops with ports", "10.0.0.1", "[2001:db8::5]:4711, 192.0.2.7:80", "2001:db8::5"],
    ["a connection that is gone", undefined, "198.51.100.1", "unknown"],
  ])("%s", (_name, peer, forwardedFor, expected) => {
    expect(clientAddress(peer, forwardedFor, proxies)).toBe(expected);
  });

  test("without trusted proxies no header is believed", () => {
    expect(clientAddress("127.0.0.1", "198.51.100.1", nobody)).toBe("127.0.0.1");
  });
});

describe("TRUSTED_PROXIES", () => {
  test.each([
    "10.0.0.0/33",
    "10.0.0.0/",
    "10.0.0.0/8/8",
    "10.0.0.0/-1",
    "fd00::/129",
    "localhost",
    "proxy.internal",
    "10.0.0",
    "::ffff:10.0.0.0/8",
  ])("%s is refused, and named in the message", (entry) => {
    expect(() => readTrustedProxies(["10.0.0.0/8", entry])).toThrow(
      `TRUSTED_PROXIES: ${JSON.stringify(entry)} cannot be read; write addresses`,
    );
  });

  test("an IPv4-mapped block is the same as the IPv4 block", () => {
    expect(readTrustedProxies(["::ffff:10.0.0.0/104"]).trusts("10.1.2.3")).toBe(true);
  });
});

test("limits count IPv4 by address and IPv6 by /64, in any notation", () => {
  expect(networkOf("192.0.2.1")).toBe("192.0.2.1");
  const one = ["2001:db8:0:5::1", "2001:DB8::5:1:2:3:4", "2001:0db8:0000:0005:ffff:ffff:ffff:ffff"].map(networkOf);
  expect(new Set(one)).toEqual(new Set(["2001:db8:0:5::/64"]));
  expect(networkOf("2001:db8:0:6::1")).not.toBe(one[0]);
  expect(["::1", "::", "1::", "64:ff9b::192.0.2.1"].map(networkOf)).toEqual([
    "0:0:0:0::/64",
    "0:0:0:0::/64",
    "1:0:0:0::/64",
    "64:ff9b:0:0::/64",
  ]);
});

// Certificates for tests, each with a key of its own and signed by itself: X.509 (RFC 5280) as DER, of which Node can only read.

import { generateKeyPairSync, sign } from "node:crypto";

const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT_ID = 0x06;
const UTF8 = 0x0c;
const UTC_TIME = 0x17;
const SEQUENCE = 0x30;
const SET = 0x31;
const DNS_NAME = 0x82;

function der(tag: number, ...parts: readonly (Buffer | string | readonly number[])[]): Buffer {
  const content = Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))));
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const commonName = der(OBJECT_ID, [0x55, 0x04, 0x03]);
const alternativeName = der(OBJECT_ID, [0x55, 0x1d, 0x11]);
const ecdsaWithSha256 = der(SEQUENCE, der(OBJECT_ID, [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]));

/** `20260101000000Z` without its century. */
const time = (date: Date): Buffer => der(UTC_TIME, `${date.toISOString().replace(/\D/g, "").slice(2, 14)}Z`);

/** A certificate for a name and its key, as PEM; it began to be good a year before it ends. */
export function createCertificate(name: string, endsAt: Date): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const subject = der(SEQUENCE, der(SET, der(SEQUENCE, commonName, der(UTF8, name))));
  const beganAt = new Date(endsAt.getTime() - 365 * 86_400_000);
  const names = der(SEQUENCE, alternativeName, der(OCTET_STRING, der(SEQUENCE, der(DNS_NAME, name))));
  const content = der(
    SEQUENCE,
    der(0xa0, der(INTEGER, [2])), // version 3
    der(INTEGER, [1]),
    ecdsaWithSha256,
    subject,
    der(SEQUENCE, time(beganAt), time(endsAt)),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, der(SEQUENCE, names)),
  );
  const signed = der(SEQUENCE, content, ecdsaWithSha256, der(BIT_STRING, [0], sign("sha256", content, privateKey)));
  const cert = `-----BEGIN CERTIFICATE-----\n${(signed.toString("base64").match(/.{1,64}/g) ?? []).join("\n")}\n-----END CERTIFICATE-----\n`;
  return { key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(), cert };
}

// GET /.well-known/x402: the offers payable here with x402, for programs that search for it. Crawlers read `resources`; the rest describes
// the offers, whose amount and hash follow from the request.

import { config } from "@/lib/base/config";
import { writeJson } from "@/lib/base/json";
import { publicUrl } from "@/lib/base/public-url";
import { X402_VERSION } from "@/lib/payments/x402/wire";
import { endpoint, jsonReply } from "../http/endpoint";
import { bazaarExtension } from "./extensions";
import { listRequirements, resource } from "./offers";
import { leastPrice, MAX_UNITS, NANO_PER_UNIT } from "./price";

const FORM_VERSION = 1;

export const x402Discovery = endpoint("x402/discovery", async (request) => {
  const { url, description, mimeType, serviceName } = resource();
  const accepts = (await listRequirements({ units: MAX_UNITS, bodyHash: "" })).map((offer) => ({
    scheme: offer.scheme,
    network: offer.network,
    asset: offer.asset,
    payTo: offer.payTo,
    minAmount: `${leastPrice() / NANO_PER_UNIT}`,
    maxAmount: offer.amount,
    maxTimeoutSeconds: offer.maxTimeoutSeconds,
  }));
  const body = {
    version: FORM_VERSION,
    x402Version: X402_VERSION,
    sandbox: config().MODE === "sandbox",
    resources: [url],
    items: [
      {
        resource: url,
        type: "http",
        method: "POST",
        description,
        mimeType,
        serviceName,
        accepts,
        openapi: `${publicUrl()}/api/v1/openapi.json`,
        extensions: { bazaar: bazaarExtension() },
        models: `${publicUrl()}/api/v1/models`,
      },
    ],
  };
  return jsonReply(request, 200, writeJson(body), { "cache-control": "public, max-age=60" });
});

// GET /api/v1/openapi.json: the API's description for programs, generated from the schemas that validate. It needs no key.

import { processSingleton } from "@/lib/base/process-singleton";
import { endpoint, jsonReply } from "../http/endpoint";
import { openApiDocument } from "./document";

const documentText = processSingleton("openapi text", () => JSON.stringify(openApiDocument()));

export const openapi = endpoint("openapi", async (request) =>
  jsonReply(request, 200, documentText(), { "cache-control": "public, max-age=300", "access-control-allow-origin": "*" }),
);

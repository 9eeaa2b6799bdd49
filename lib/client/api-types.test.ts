// The client's types against the document of the service.

import { expect, test } from "vitest";
import { config } from "@/lib/base/config";
import { openApiDocument } from "@/lib/gateway/openapi/document";
import { clientTypes } from "@/lib/gateway/openapi/testing/client-types";
import { readEndpoints, setEndpoints } from "@/lib/providers/endpoints";

test("the client's types are those of the document: after a change of it, `npm run client-types` writes them", async () => {
  const nowhere = "http://127.0.0.1:1";
  setEndpoints(
    readEndpoints(config(), { openai: nowhere, anthropic: nowhere, gemini: nowhere, xai: nowhere, deepseek: nowhere }, "no-key"),
  );
  await expect(clientTypes(openApiDocument())).toMatchFileSnapshot("./api-types.ts");
});

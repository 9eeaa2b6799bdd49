// The receivers of the page on webhooks: the page shows them, and a test runs them against real deliveries.

import type { CodeExample } from "../code-examples";

export const receivers: readonly CodeExample[] = [
  {
    label: "Our client",
    title: "receiver.ts",
    runs: "node",
    code: `import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { verifyWebhook } from "./pennyprompt/pennyprompt";

const seen = new Set<string>(); // use your database in production

createServer(async (request, response) => {
  try {
    const event = await verifyWebhook({
      body: await text(request),
      headers: request.headers,
      secret: process.env.PENNYPROMPT_WEBHOOK_SECRET ?? "",
    });
    response.writeHead(204).end();
    if (seen.has(event.id)) return; // sent again
    seen.add(event.id);
    console.log(event.sequence, event.type, event.data);
  } catch {
    response.writeHead(400).end();
  }
}).listen(Number(process.env.PORT ?? 8080));`,
  },
  {
    label: "Python",
    title: "receiver.py",
    runs: "python",
    code: `import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer

secret = base64.b64decode(os.environ["PENNYPROMPT_WEBHOOK_SECRET"].removeprefix("whsec_"))
seen = set()  # use your database in production

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        id, sent = self.headers["webhook-id"], self.headers["webhook-timestamp"]
        mine = hmac.new(secret, f"{id}.{sent}.".encode() + body, hashlib.sha256).digest()
        signatures = [base64.b64decode(s[3:]) for s in self.headers["webhook-signature"].split() if s.startswith("v1,")]
        fits = any(hmac.compare_digest(mine, s) for s in signatures)
        is_fresh = abs(time.time() - int(sent)) <= 300
        self.send_response(204 if fits and is_fresh else 400)
        self.end_headers()
        event = json.loads(body) if fits and is_fresh else None
        if event and event["id"] not in seen:  # it may be sent again
            seen.add(event["id"])
            print(event["sequence"], event["type"], event["data"], flush=True)

HTTPServer(("", int(os.environ.get("PORT", 8080))), Receiver).serve_forever()`,
  },
];

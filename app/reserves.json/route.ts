// GET /reserves.json: the last report of reserves, for programs. Public, and readable from any page.

import { config } from "@/lib/base/config";
import { readReserves, reservesJson } from "@/lib/console/deposit/reserves";
import { readSite } from "../site";

export const dynamic = "force-dynamic";

export async function GET(): Promise<Response> {
  const headers = { "cache-control": "public, max-age=10", "access-control-allow-origin": "*" };
  const body = { service: readSite().name, mode: config().MODE, unit: "USD", ...reservesJson(await readReserves()) };
  return Response.json(body, { headers });
}

// The context that Next provides around a server action, for tests that call one: the request and its cookies.

import { type WorkStore, workAsyncStorage } from "next/dist/server/app-render/work-async-storage.external";
import { workUnitAsyncStorage } from "next/dist/server/app-render/work-unit-async-storage.external";
import { createRequestStoreForAPI } from "next/dist/server/async-storage/request-store";
import { NextRequest } from "next/server";
import { publicUrl } from "@/lib/base/public-url";
import { sessionCookieName } from "@/lib/console/sign-in/session-cookie";

/** Runs `act` as a request of the browser with this session cookie; null: without a cookie. */
export function asRequest<Result>(token: string | null, act: () => Result): Result {
  const headers: HeadersInit = token === null ? {} : { cookie: `${sessionCookieName()}=${token}` };
  const request = new NextRequest(new URL("/overview", publicUrl()), { method: "POST", headers });
  const tags = { tags: [], expirationsByCacheKind: new Map() };
  const store = createRequestStoreForAPI(request, request.nextUrl, tags, undefined, undefined, undefined);
  return workAsyncStorage.run({ route: "/overview" } as WorkStore, () => workUnitAsyncStorage.run(store, act));
}

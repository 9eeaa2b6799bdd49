"use server";

// The message for a refused sign-in, on the server: the refusals have their messages there.

import { refusalTextOf } from "@/lib/console/refusals";

export async function signInProblem(error: unknown): Promise<string> {
  return refusalTextOf(typeof error === "string" ? error : "unavailable");
}

"use server";

// Why signing in was refused, in words: they are kept where the refusals are made.

import { refusalTextOf } from "@/lib/console/refusals";

export async function signInProblem(error: unknown): Promise<string> {
  return refusalTextOf(typeof error === "string" ? error : "unavailable");
}

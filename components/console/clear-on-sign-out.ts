// Actions that end in the sign-in page leave as much in this browser as signing out: nothing.

import { clearPlayground } from "./playground/kept/browser-store";

/** Waits for an action that may sign this browser out, by a redirect, which it throws; then removes the playground's store. */
export async function clearOnSignOut<Result>(outcome: Promise<Result>): Promise<Result> {
  try {
    return await outcome;
  } catch (redirect) {
    clearPlayground(); // a refusal is an answer, and keeps everything
    throw redirect;
  }
}

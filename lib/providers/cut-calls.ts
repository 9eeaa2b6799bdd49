// What a provider bills for a stream that is cut before its end. OpenAI, Anthropic, xAI and DeepSeek stop generating, and
// billing, when the connection closes; Google goes on to the end of the answer and bills all of it.

import type { Model, ProviderId } from "./types";

const billedToTheEnd: ReadonlySet<ProviderId> = new Set(["gemini"]);

/** True when cutting a stream of this model saves nothing, so that it is better read to its own usage figures. */
export const isBilledWhenCut = (model: Model): boolean => model.routes.some(({ provider }) => billedToTheEnd.has(provider));

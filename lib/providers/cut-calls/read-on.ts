// Billing of a stream that is cut before its end, by provider. OpenAI, Anthropic, xAI and DeepSeek stop generating, and billing, when the
// connection closes; Google generates and bills the whole answer. For another provider its entry says it.

import type { WhenLeft } from "@/lib/base/when-left";
import type { ProviderId } from "../model-route";
import type { Model, ModelCall } from "../types";
import { mayReason } from "./may-reason";

const billedToTheEnd: ReadonlySet<ProviderId> = new Set(["gemini"]);

/** True when cutting a stream of this model saves nothing: then it is better read to the end, for the exact usage. */
export const isBilledWhenCut = (model: Model): boolean =>
  model.routes.some(({ provider, entry }) => billedToTheEnd.has(provider) || entry?.stopsWhenCut === false);

/**
 * True when a stream is read on after its client left: cutting it would save nothing, or its model's thoughts could not be counted, and
 * leaving would make them free.
 */
export const isReadOn = (model: Model, call: ModelCall): boolean =>
  isBilledWhenCut(model) || model.routes.some((route) => mayReason(call, route));

/** The same, as answers name it. */
export const whenLeft = (model: Model, call: ModelCall): WhenLeft => (isReadOn(model, call) ? "drained" : "cut");

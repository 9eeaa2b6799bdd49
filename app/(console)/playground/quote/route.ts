// Prices the owner's prompt before it runs; nothing is held.

import { quoteForOwner } from "@/lib/gateway/prompt/playground";
import { forOwner } from "../for-owner";

export const dynamic = "force-dynamic";

export const POST = forOwner(quoteForOwner);

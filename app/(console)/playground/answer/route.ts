// Answers the owner's prompt as a stream, charged to their balance.

import { answerForOwner } from "@/lib/gateway/prompt/playground";
import { forOwner } from "../for-owner";

export const dynamic = "force-dynamic";

export const POST = forOwner(answerForOwner);

// The text that a wallet signs to sign in.

import { answerChallenge } from "@/lib/console/sign-in/challenge-endpoint";

export const dynamic = "force-dynamic";

export { answerChallenge as POST };

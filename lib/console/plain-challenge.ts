// A challenge as a server action can return it to a page.

import type { Challenge } from "@/lib/access/challenges";
import type { PlainChallenge } from "./views/wallet";

export const plainChallenge = ({ signInInput, ...challenge }: Challenge): PlainChallenge => ({
  ...challenge,
  ...(signInInput && { signInInput: { ...signInInput } }),
});

// The forms of the settings page.

import { z } from "zod";
import { walletChains } from "@/lib/chains/wallet";
import { proofSchema } from "./sign-in/auth-options";

/** Identifies a wallet, by its address as its chain writes it. */
export const walletForm = z.strictObject({ chain: z.enum(walletChains), address: z.string().min(1).max(64) });

const noSuchSession = "This session no longer exists. Reload the page.";
export const sessionForm = z.strictObject({ sessionId: z.string(noSuchSession).regex(/^ses_[0-9A-Za-z]{20}$/, noSuchSession) });

/** Signs out everywhere; pauses the account's keys as well on request. */
export const endAllForm = z.strictObject({ pausesKeys: z.boolean() });

/** The joining wallet's proof, and the linked wallet that is to approve. */
export const proveJoinForm = z.strictObject({ join: proofSchema, allow: walletForm });

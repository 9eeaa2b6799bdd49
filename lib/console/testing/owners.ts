// People for tests: each signs in with a wallet, as a browser does.

import type { WalletChain } from "@/lib/chains/wallet";
import { findOwnerOf, type Owner } from "../owner";
import { signIn, startSignIn } from "../sign-in/sign-in";
import { newWallet, prove, type TestWallet } from "./wallets";

const CLIENT_ADDRESS = "192.0.2.1";

/** Signs in. @throws Error when that is refused */
export async function enter(wallet: TestWallet, userAgent = ""): Promise<Owner & { token: string }> {
  const started = await startSignIn(wallet, CLIENT_ADDRESS);
  if (!started.ok) throw new Error(started.reason);
  const outcome = await signIn(await prove(wallet, started.challenge), { userAgent, clientAddress: CLIENT_ADDRESS });
  const owner = outcome.ok ? await findOwnerOf(outcome.token) : null;
  if (!outcome.ok || !owner) throw new Error("not signed in");
  return { ...owner, token: outcome.token };
}

/** A new owner with their first wallet. */
export async function newOwner(chain: WalletChain = "evm", userAgent?: string) {
  const wallet = newWallet(chain);
  return { wallet, owner: await enter(wallet, userAgent) };
}

import type { Metadata } from "next";
import { cookies } from "next/headers";
import type { ReactNode } from "react";
import { readSite } from "@/app/site";
import { AccountProvider } from "@/components/console/account/account-provider";
import { ConsoleFrame } from "@/components/console/console-frame";
import { DraftsProvider } from "@/components/console/drafts";
import { readTheme, THEME_COOKIE } from "@/components/site/theme";
import { Toaster } from "@/components/ui/toaster";
import { SessionWatch } from "@/components/wallet/session-news";
import { WalletWatch } from "@/components/wallet/wallet-watch";
import { readAccountView } from "@/lib/console/account/account-view";
import { shownWallet } from "@/lib/console/owner";
import { listOwnWallets } from "@/lib/console/settings";
import { forSession } from "./owner-actions";
import { requireOwner } from "./require-owner";
import { signOut, signOutUnlessLinked } from "./sign-out";

export const metadata: Metadata = { robots: { index: false } };

/** The signed-in area. Each page looks up its owner again: a layout does not re-render on navigation. */
export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const owner = await requireOwner();
  const [account, wallets] = await Promise.all([readAccountView(owner.accountId), listOwnWallets(owner)]);
  const theme = readTheme((await cookies()).get(THEME_COOKIE)?.value);
  return (
    <AccountProvider initial={account} sessionId={owner.sessionId}>
      <ConsoleFrame name={readSite().name} theme={theme} wallet={shownWallet(owner.wallet)} onSignOut={signOut}>
        <DraftsProvider key={owner.accountId}>{children}</DraftsProvider>
      </ConsoleFrame>
      <WalletWatch
        linked={wallets.map(({ chain, address }) => ({ chain, address }))}
        onSwitched={forSession(owner, { signOutUnlessLinked }).signOutUnlessLinked}
      />
      <SessionWatch />
      <Toaster />
    </AccountProvider>
  );
}

import type { Metadata } from "next";
import { readSite } from "@/app/site";
import { readWalletAccess } from "@/app/wallet-access";
import { AddressCard } from "@/components/console/deposit/address-card";
import { OlderDeposits } from "@/components/console/deposit/deposit-list";
import { FaucetButton } from "@/components/console/deposit/faucet-button";
import { LiveDeposits } from "@/components/console/deposit/live-deposits";
import { NoAddress, NoAddresses, NotWatched } from "@/components/console/deposit/no-address";
import { SendFromWallet } from "@/components/console/deposit/send-from-wallet";
import { FrozenNotice } from "@/components/console/frozen-notice";
import { HeadingLink, PageHeading } from "@/components/console/page-heading";
import type { RequestTestMoney } from "@/components/console/test-money";
import { Tabs } from "@/components/ui/tabs";
import { type ChainId, chainIds, chainName } from "@/lib/base/chains";
import { findDepositAddresses, MINIMUM_DEPOSIT, readDepositView } from "@/lib/console/deposit/deposit";
import { faucetAmount } from "@/lib/console/deposit/faucet";
import { findSendTargets } from "@/lib/console/deposit/send-targets";
import type { Owner } from "@/lib/console/owner";
import type { SendTargets } from "@/lib/console/views/send-targets";
import { forSession } from "../owner-actions";
import { requireOwner } from "../require-owner";
import { requestTestMoney } from "./actions";

export const metadata: Metadata = { title: "Deposit" };

interface DepositPageProps {
  searchParams: Promise<{ before?: string | string[] }>;
}

export default async function DepositPage({ searchParams }: DepositPageProps) {
  const owner = await requireOwner();
  const { before } = await searchParams;
  const view = await readDepositView(owner.accountId, before);
  const { isSandbox } = readSite();
  return (
    <>
      <PageHeading title="Deposit">
        Send USDC to your address. 1 USDC adds $1.00 to your balance. <HeadingLink href="/docs/deposits">How deposits work</HeadingLink>
      </PageHeading>
      {owner.isFrozen ? <FrozenNotice isLeaving={owner.isLeaving} /> : <Addresses owner={owner} isSandbox={isSandbox} />}
      {before === undefined ? (
        <LiveDeposits
          view={view}
          minimum={MINIMUM_DEPOSIT}
          whenEmpty={
            isSandbox
              ? "Get test USDC with the button above. It appears here and is added to your balance once confirmed."
              : "Send USDC to one of your addresses above. It appears here within seconds and is added to your balance once confirmed."
          }
        />
      ) : (
        <OlderDeposits view={view} minimum={MINIMUM_DEPOSIT} />
      )}
    </>
  );
}

/** The deposit addresses, on each watched chain. */
async function Addresses({ owner, isSandbox }: { owner: Owner; isSandbox: boolean }) {
  const [addresses, targets] = await Promise.all([findDepositAddresses(owner.accountId), findSendTargets(owner.accountId)]);
  const amount = faucetAmount();
  const onRequest = forSession(owner, { requestTestMoney }).requestTestMoney;
  const faucetOn = (chain: ChainId) => (amount === null ? null : <FaucetButton chain={chain} amount={amount} onRequest={onRequest} />);
  if (!addresses) return <NoAddresses faucet={null} />;
  if (chainIds.every((chain) => addresses[chain] === null)) return <NotWatched />;
  return (
    <Tabs
      label="Network"
      initial={[chainOf(owner), ...chainIds].find((chain) => addresses[chain] !== null)}
      tabs={chainIds.map((chain) => {
        const address = addresses[chain];
        return {
          value: chain,
          title: chainName(chain),
          content: address ? (
            <AddressCard
              {...address}
              isSandbox={isSandbox}
              minimum={MINIMUM_DEPOSIT}
              faucet={faucetOn(chain)}
              send={<Sending targets={targets} chain={chain} requestTestMoney={amount === null ? null : onRequest} />}
            />
          ) : (
            <NoAddress chain={chain} />
          ),
        };
      })}
    />
  );
}

/** The chain of the wallet that opened this session. */
const chainOf = ({ wallet }: Owner): ChainId => (wallet.chain === "solana" ? "solana" : "base");

interface SendingProps {
  targets: SendTargets;
  chain: ChainId;
  requestTestMoney: RequestTestMoney | null;
}

/** Depositing from a wallet in the browser, where that is possible. */
function Sending({ targets, chain, requestTestMoney }: SendingProps) {
  const pay = chain === "base" ? targets.base && { chain, target: targets.base } : targets.solana && { chain, target: targets.solana };
  if (!pay) return null;
  return <SendFromWallet access={readWalletAccess()} pay={pay} minimum={MINIMUM_DEPOSIT} requestTestMoney={requestTestMoney} />;
}

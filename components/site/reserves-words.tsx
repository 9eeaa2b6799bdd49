import type { ReactNode } from "react";
import { Chapter } from "./chapter";

/** How reserves are computed, what the public can verify, and what it cannot. */
export function ReservesWords({ isSandbox }: { isSandbox: boolean }) {
  return (
    <div className="grid gap-x-12 lg:grid-cols-2 lg:[&>*:first-child]:row-span-2">
      <Chapter title="How it is calculated">
        <Text>
          <p>
            About every 30 seconds, we read both chains at a final block, which can no longer change: the treasury and every deposit address
            that ever received USDC. Then we read all balances from our ledger in one snapshot.
          </p>
          <p>
            Owed: customer balances including reserved amounts, unspent payments of wallets without an account, deposits below the minimum,
            and requested withdrawals. A deposit or payment that is credited but not yet in a final block counts on neither side. A
            withdrawal stops being owed in the block where it leaves the treasury.
          </p>
          <p>
            Our revenue stays in the treasury, so we usually hold slightly more than we owe. If we hold less, all withdrawals stop until the
            difference is restored, and this page says so. If a chain can’t be read, this page says that too.
          </p>
        </Text>
      </Chapter>
      <Chapter title="What you can verify">
        <Text>
          <p>
            {isSandbox ? "In a live service, you" : "You"} can check the treasury&rsquo;s balances in any block explorer at the block shown,
            and your own balance and every charge in the console. The same figures are available as JSON:{" "}
            <a href="/reserves.json" className="underline underline-offset-2 hover:text-ink">
              /reserves.json
            </a>
            .
          </p>
        </Text>
      </Chapter>
      <Chapter title="What this does not prove">
        <Text>
          <ul className="grid list-disc gap-2 pl-5">
            <li>That everything we owe is included. The total comes from our own ledger and has not been audited.</li>
            <li>
              The balance of the deposit addresses. We do not publish the list, because it would reveal our customers&rsquo; payments, so
              you have to trust this figure. It stays small, because deposits are moved to the treasury regularly.
            </li>
            <li>That the funds are not borrowed for the check, or claimed by someone off-chain.</li>
            <li>That USDC is worth a dollar, or that its issuer will not freeze it.</li>
          </ul>
        </Text>
      </Chapter>
    </div>
  );
}

const Text = ({ children }: { children: ReactNode }) => <div className="grid gap-3 pt-4 text-sm text-muted">{children}</div>;

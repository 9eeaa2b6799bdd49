import type { ReactNode } from "react";
import { Chapter } from "./chapter";

/** How reserves are computed, what the public can verify, and what it cannot. */
export function ReservesWords({ isSandbox }: { isSandbox: boolean }) {
  return (
    <>
      <Chapter title="How it is computed">
        <Text>
          <p>
            Every half minute, both chains are read as of one final block each, that is one that no longer changes: the treasury, and every
            deposit address that was ever paid to. Then all balances are read from the ledger at one moment.
          </p>
          <p>
            Owed is what customers have, holds included, plus what is left of payments by addresses without an account, plus deposits that
            are still too small to be credited, plus withdrawals that were asked for. A deposit or payment that is credited and in no final
            block yet counts on neither side. A withdrawal stops being owed in the block in which it left the treasury.
          </p>
          <p>
            What we earned stays in the treasury, so a little more than is owed is held. Once it is less, by however little, no withdrawal
            is signed until it is there again, and this page says so. When a chain cannot be read, the page says that, and never guesses.
          </p>
        </Text>
      </Chapter>
      <Chapter title="What you can check">
        <Text>
          <p>
            {isSandbox ? "In a live service, the" : "The"} treasury&rsquo;s balances, in any explorer, at the block that is named. Your own
            balance and every charge of it, in your usage. Programs read the same figures at{" "}
            <a href="/reserves.json" className="underline underline-offset-2 hover:text-ink">
              /reserves.json
            </a>
            .
          </p>
        </Text>
      </Chapter>
      <Chapter title="What this cannot prove">
        <Text>
          <ul className="grid list-disc gap-2 pl-5">
            <li>That all we owe is in it. The sum of balances comes from our own ledger; nobody else has audited it.</li>
            <li>
              What lies at deposit addresses. We do not publish their list: it would tell everybody which payments are our customers&rsquo;.
              The figure is our word. Deposits are moved to the treasury regularly, so it stays small.
            </li>
            <li>That nobody lent us the money for a day, or has a claim on it that the chain does not show.</li>
            <li>That USDC is worth a dollar, or that its issuer freezes nothing of it.</li>
          </ul>
        </Text>
      </Chapter>
    </>
  );
}

const Text = ({ children }: { children: ReactNode }) => <div className="grid gap-3 pt-4 text-sm text-muted">{children}</div>;

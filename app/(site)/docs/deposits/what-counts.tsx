import type { Site } from "@/app/site";
import { Code } from "@/components/docs/code";
import { FieldTable } from "@/components/docs/field-table";
import { DocLink, Section } from "@/components/docs/section";
import { Amount } from "@/components/ui/text/amount";
import { listPayableTokens, MINIMUM_DEPOSIT } from "@/lib/console/deposit/deposit";

export interface DepositChapterProps {
  id: string;
  title: string;
  site: Site;
}

export function PayInChapter({ site, ...section }: DepositChapterProps) {
  const tokens = listPayableTokens();
  return (
    <Section {...section}>
      <p>
        Your account has its own address on Base and on Solana. You find both under <DocLink href="/deposit">Deposit</DocLink>. They never
        change. Send USDC from any wallet or exchange; no memo is needed.
      </p>
      {site.isSandbox ? (
        <p>
          This is a sandbox with local Base and Solana chains. The faucet on the Deposit page sends test USDC over them, just like a real
          deposit. Never send real money to a sandbox address.
        </p>
      ) : null}
      {tokens.length > 0 ? (
        <>
          <p>Send only this token on this network:</p>
          <FieldTable
            isPlain
            heading="Network"
            rows={tokens.map(({ network, token }) => ({ name: network, about: <code className="font-mono break-all">{token}</code> }))}
          />
        </>
      ) : null}
    </Section>
  );
}

export function StatesChapter({ id, title }: DepositChapterProps) {
  return (
    <Section id={id} title={title}>
      <FieldTable
        heading="State"
        rows={[
          { name: "seen", about: "In the latest block. No confirmations yet." },
          { name: "confirming", about: "Waiting for more blocks. The Deposit page shows how many are needed." },
          { name: "credited", about: "In your balance and ready to spend." },
          { name: "below_minimum", about: "Confirmed. Credited once deposits at this address reach the minimum." },
          {
            name: "reversed",
            about:
              "The chain dropped its block. If it was credited, it was removed from your balance. It is credited again automatically if the transaction lands in another block.",
          },
        ]}
      />
      <p>
        A credited deposit becomes final a little later. From then on it can’t be reversed, and you can withdraw it. If a deposit is
        reversed after you spent it, the account is frozen until we have reviewed it. This only happens if the chain itself fails.
      </p>
    </Section>
  );
}

export function MinimumChapter({ id, title }: DepositChapterProps) {
  return (
    <Section id={id} title={title}>
      <p>
        The minimum deposit is <Amount nano={MINIMUM_DEPOSIT} />. Smaller deposits are kept and credited once deposits at the same address
        reach <Amount nano={MINIMUM_DEPOSIT} />. Base and Solana are counted separately. Nothing is rounded: <Code>1.000001</Code> USDC is
        credited as <Code>$1.000001</Code>, and there is no fee.
      </p>
    </Section>
  );
}

export function NotCreditedChapter({ id, title }: DepositChapterProps) {
  return (
    <Section id={id} title={title}>
      <FieldTable
        isPlain
        heading="Sent"
        rows={[
          {
            name: "another network",
            about: "USDC on Ethereum, Arbitrum, Polygon or any other network, even if the address looks the same there.",
          },
          { name: "another token", about: "ETH, SOL, USDT, and any token that is not Circle’s USDC, even if it uses that name." },
          { name: "bridged USDC", about: "USDbC on Base, and any other bridged version of USDC." },
        ]}
      />
      <p>
        These are not returned automatically. Send us the transaction: we hold the keys of your deposit addresses and may be able to return
        it.
      </p>
    </Section>
  );
}

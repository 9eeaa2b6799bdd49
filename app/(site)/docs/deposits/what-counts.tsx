import type { Site } from "@/app/site";
import { Code } from "@/components/docs/code";
import { FieldTable } from "@/components/docs/field-table";
import { DocLink, Section } from "@/components/docs/section";
import { Amount } from "@/components/ui/text/amount";
import { MINIMUM_DEPOSIT } from "@/lib/console/deposit/deposit";
import { listPayableTokens } from "@/lib/console/deposit/payable-tokens";

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
        Your account has an address of its own on Base and one on Solana. They stand under <DocLink href="/deposit">Deposit</DocLink>, are
        given at your first sign-in, and stay yours for good. Send USDC there from any wallet or exchange: who sends it does not matter, and
        no note is needed.
      </p>
      {site.isSandbox ? (
        <p>
          This is a sandbox: its Base and its Solana are chains inside this machine. The faucet on that page sends test USDC over them, the
          way real USDC would come. Never send real money to an address of a sandbox.
        </p>
      ) : null}
      {tokens.length > 0 ? (
        <>
          <p>It must be this token, on this network:</p>
          <FieldTable
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
          { name: "seen", about: "In the newest block of its chain. Nothing has followed on it yet." },
          { name: "confirming", about: "Blocks follow. The page counts them, and says how many it takes." },
          { name: "credited", about: "In your balance. You can spend it from this moment on." },
          { name: "below_minimum", about: "Confirmed, and kept for you until its address has the minimum." },
          {
            name: "reversed",
            about:
              "Its chain dropped the block that it stood in. If it was credited, it left your balance again. It comes back by itself when the chain takes the transaction into another block.",
          },
        ]}
      />
      <p>
        What is credited is also final a little later: nothing on its chain can undo it then, and it may be withdrawn. A deposit that is
        reversed after you have spent it freezes the account until the operator has looked into it; this needs a failure of the chain
        itself.
      </p>
    </Section>
  );
}

export function MinimumChapter({ id, title }: DepositChapterProps) {
  return (
    <Section id={id} title={title}>
      <p>
        A deposit is credited from <Amount nano={MINIMUM_DEPOSIT} /> on. Less is not lost: it is kept, and credited with what follows, as
        soon as the deposits at the same address add up to <Amount nano={MINIMUM_DEPOSIT} />. Amounts on Base and on Solana are not added to
        each other. Every unit counts: of <Code>1.000001</Code> USDC, <Code>$1.000001</Code> is credited, and there is no fee.
      </p>
    </Section>
  );
}

export function NotCreditedChapter({ id, title }: DepositChapterProps) {
  return (
    <Section id={id} title={title}>
      <FieldTable
        heading="Sent"
        rows={[
          {
            name: "another network",
            about:
              "USDC on Ethereum, Arbitrum, Polygon or any network but the one of the address. That it looks the same there does not help.",
          },
          { name: "another token", about: "ETH, SOL, USDT, and every token that is not Circle’s own USDC, whatever it calls itself." },
          { name: "bridged USDC", about: "USDbC on Base, and every other token that stands for USDC without being it." },
        ]}
      />
      <p>
        Such things do not come back by themselves. Write to the operator, with the transaction: they hold the keys of your addresses, and
        may be able to send it back.
      </p>
    </Section>
  );
}

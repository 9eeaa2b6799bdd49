import { curlDeposits } from "@/app/examples";
import { Code } from "@/components/docs/code";
import { FieldTable } from "@/components/docs/field-table";
import { DocLink, Section } from "@/components/docs/section";
import { CodeBlock } from "@/components/ui/code-block";
import type { DepositChapterProps } from "./what-counts";

export function TimeChapter({ id, title, site }: DepositChapterProps) {
  return (
    <Section id={id} title={title}>
      <FieldTable
        heading="Network"
        rows={[
          {
            name: "Base",
            about:
              "Seen within seconds. Credited once its block is safe, which is when Base has written it down on Ethereum: about two minutes. Final after about twenty.",
          },
          { name: "Solana", about: "Seen within seconds. Credited once its slot is final: about fifteen seconds." },
        ]}
      />
      <p>
        These are the chains’ own times and differ from day to day. How many confirmations a deposit needs is therefore no fixed number: it
        is how far the chain itself is behind at that moment. {site.isSandbox ? "A sandbox’s own chains take a few seconds." : null}
      </p>
      <p>
        While the nodes that we ask disagree or are silent, nothing is credited: deposits wait, and are credited once it is clear what the
        chain says. Nothing that was paid to your address is missed for it.
      </p>
    </Section>
  );
}

export function ApiChapter({ id, title, site }: DepositChapterProps) {
  return (
    <Section id={id} title={title}>
      <CodeBlock title="curl, deposits" copy={curlDeposits(site)} />
      <p>
        Each row has its <Code>state</Code>, <Code>amount</Code>, <Code>transaction</Code>, and <Code>confirmations</Code> of{" "}
        <Code>neededConfirmations</Code>; <DocLink href="/docs/api#listDeposits">the reference</DocLink> has them all. Your addresses are
        the <Code>wallet</Code> of <DocLink href="/docs/api#getBalance">the balance</DocLink>. To wait for money, watch{" "}
        <Code>available</Code> there.
      </p>
    </Section>
  );
}

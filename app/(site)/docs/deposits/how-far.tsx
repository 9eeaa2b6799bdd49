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
        isPlain
        heading="Network"
        rows={[
          {
            name: "Base",
            about: "Detected within seconds. Credited once Base has posted the block to Ethereum: about 2 minutes. Final after about 20.",
          },
          { name: "Solana", about: "Detected within seconds. Credited once the slot is final: about 15 seconds." },
        ]}
      />
      <p>
        These times depend on the chain and vary, so the number of confirmations is not fixed.{" "}
        {site.isSandbox ? "The sandbox chains take a few seconds." : null}
      </p>
      <p>If our nodes disagree or don’t respond, deposits wait and are credited once the chain state is clear. No deposit is lost.</p>
    </Section>
  );
}

export function ApiChapter({ id, title, site }: DepositChapterProps) {
  return (
    <Section id={id} title={title}>
      <CodeBlock title="curl, deposits" copy={curlDeposits(site)} />
      <p>
        Each row has its <Code>state</Code>, <Code>amount</Code>, <Code>transaction</Code>, and <Code>confirmations</Code> of{" "}
        <Code>neededConfirmations</Code>; see the <DocLink href="/docs/api#listDeposits">API reference</DocLink> for all fields. Your
        addresses are in <Code>wallet</Code> of <DocLink href="/docs/api#getBalance">the balance</DocLink>. To wait for a deposit, poll{" "}
        <Code>available</Code> there.
      </p>
    </Section>
  );
}

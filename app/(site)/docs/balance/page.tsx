import { Code } from "@/components/docs/code";
import { DocsArticle, docsMetadata } from "@/components/docs/docs-frame";
import { FieldTable } from "@/components/docs/field-table";
import { DocLink, Section, Steps } from "@/components/docs/section";
import { whenLeftText } from "@/lib/base/when-left";

export const metadata = docsMetadata("/docs/balance");

export default function BalanceDocsPage() {
  return (
    <DocsArticle path="/docs/balance">
      {reserved}
      {exact}
      {free}
      {books}
      {check}
      {reserves}
      {unpromised}
    </DocsArticle>
  );
}

const reserved = (
  <Section id="reserved" title="Funds are reserved first">
    <p>
      Before we call a model, we reserve the most that your request can cost: an upper bound of its input tokens, plus the output limit, at
      the model’s price. The key, its spending limit and your balance are checked in that same step.
    </p>
    <Steps
      steps={{
        Request: "The maximum cost is reserved. If your balance or the key’s limit does not cover it, you get 402 and no model is called.",
        Response: "The exact cost is charged and the rest is released, in one step, before the answer is sent.",
        "No response": "If the request fails, everything is released. If our process dies, the reservation expires and nothing is charged.",
      }}
    />
    <p>
      Two requests can never spend the same dollar, however many run at once and on however many servers. Your balance never goes below
      zero, and you never pay more than was reserved. <Code>GET /api/v1/balance</Code> shows the reserved part as <Code>held</Code>.
    </p>
  </Section>
);

const exact = (
  <Section id="exact" title="The charge is exact">
    <p>
      Amounts are whole numbers of nano-dollars, billionths of a dollar. A charge is the provider’s token count times the price, for each
      kind of token. Nothing is rounded. Each charge names the version of the price it used, so a later price change never alters it, and{" "}
      <DocLink href="/docs/api/getReceipt">its receipt</DocLink> lists every line.
    </p>
    <p>
      If a provider does not report a count, for example because a stream was stopped, we count the tokens ourselves, and the receipt says{" "}
      <Code>estimated</Code>. A retry with the same <Code>Idempotency-Key</Code> is charged once.
    </p>
  </Section>
);

const free = (
  <Section id="free" title="What is never charged">
    <ul className="list-disc space-y-1.5 pl-5 marker:text-faint">
      <li>Requests that we refuse: an invalid body, an unknown model, a low balance, a reached limit.</li>
      <li>Requests whose model fails before its first token, and JSON requests that fail at any point.</li>
      <li>Retries of a request that was already answered, with the same Idempotency-Key.</li>
      <li>Anything above the maximum that was reserved, even if the provider bills us for more.</li>
      <li>Quotes, token counts, and everything else that you only read.</li>
    </ul>
    <p>
      A stream that breaks off is charged for the part that was delivered. If you close a stream yourself, one of two rules applies, and a
      quote tells you which as <Code>whenLeft</Code>:
    </p>
    <FieldTable heading="whenLeft" rows={whenLeftText} />
  </Section>
);

const books = (
  <Section id="books" title="Double-entry accounting">
    <p>
      Every movement of money other than a charge, such as a deposit, a withdrawal or its fee, is a transfer with at least two entries that
      add up to zero: what one account receives, another gives. Transfers and charges are only added, never changed or deleted. A mistake is
      corrected with another transfer that you can see.
    </p>
    <p>
      One part of the service writes the ledger, in single database transactions. A charge is committed to disk before you get the answer
      that it pays for.
    </p>
  </Section>
);

const check = (
  <Section id="check" title="The check that always runs">
    <p>
      A job proves the books again and again, about once a minute, from one consistent snapshot. It recalculates everything from the entries
      and alerts the operator on any difference:
    </p>
    <ul className="list-disc space-y-1.5 pl-5 marker:text-faint">
      <li>Every balance equals the sum of its entries and charges.</li>
      <li>The entries of each transfer sum to zero.</li>
      <li>Reserved funds equal the running requests.</li>
      <li>Each request was charged once, its tokens at its price, and at most what was reserved.</li>
      <li>What each key spent equals its charges.</li>
      <li>Deposits, withdrawals and payments on the chains match the ledger.</li>
      <li>The audit log has no missing or changed entry.</li>
    </ul>
    <p>
      You can check your own account: add up <DocLink href="/docs/api/listDeposits">deposits</DocLink>, withdrawals and{" "}
      <DocLink href="/docs/api/getUsage">usage</DocLink>, and you get the balance to the last digit.
    </p>
  </Section>
);

const reserves = (
  <Section id="reserves" title="Reserves">
    <p>
      The USDC that we hold on both chains is compared with what we owe customers, every 30 seconds.{" "}
      <DocLink href="/reserves">Reserves</DocLink> shows the result with the block it was read at. If we hold less than we owe, all payouts
      stop until the difference is restored.
    </p>
  </Section>
);

const unpromised = (
  <Section id="not-promised" title="What we don’t promise">
    <ul className="list-disc space-y-1.5 pl-5 marker:text-faint">
      <li>That token counts are right. They are the provider’s, and we can’t verify most of them.</li>
      <li>That our own count of a stopped stream is the provider’s. It is built to be lower on average, but it is an estimate.</li>
      <li>
        That every answer arrives. If the connection drops, you may pay for an answer you did not receive; an Idempotency-Key returns it.
      </li>
      <li>
        That a credited deposit stays. If a chain reverses a block, the deposit is removed until it is in another block; see{" "}
        <DocLink href="/docs/deposits#states">deposit states</DocLink>.
      </li>
      <li>That the ledger is audited by a third party. It is not, and the reserves page can’t prove that all debts are in it.</li>
      <li>That deposits are insured, or that USDC keeps its value. Keep only what you plan to spend.</li>
    </ul>
  </Section>
);

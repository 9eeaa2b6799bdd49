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
      Before we call a model, we reserve the maximum cost of your request: an upper bound of its input tokens, plus the output limit, at the
      model’s price. The key, its spending limit and your balance are checked in that same step.
    </p>
    <Steps
      steps={{
        Request: "The maximum cost is reserved. If your balance or the key’s limit does not cover it, you get 402 and no model is called.",
        Response: "The exact cost is charged and the rest is released, in one step, before the end of the answer is sent.",
        "No response":
          "If the request fails before anything is delivered, everything is released. If our process dies before the charge, everything is released within about ten seconds and you pay nothing.",
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
      <Code>estimated</Code>. A request and its retries with the same <Code>Idempotency-Key</Code> are charged once.
    </p>
  </Section>
);

const free = (
  <Section id="free" title="What is never charged">
    <ul className="list-disc space-y-1.5 pl-5 marker:text-faint">
      <li>Requests that we refuse: an invalid body, an unknown model, a low balance, a reached limit.</li>
      <li>Requests whose model fails before its first token, and requests without streaming that fail at any point.</li>
      <li>Retries with the same Idempotency-Key, for 24 hours after the first request.</li>
      <li>Anything above the maximum that was reserved, even if the provider bills us for more.</li>
      <li>Quotes, token counts, and all read requests.</li>
    </ul>
    <p>
      If the provider breaks off a stream, you pay for the part that was delivered. If you close a stream yourself, one of two rules
      applies; <Code>whenLeft</Code> in a quote tells you which:
    </p>
    <FieldTable heading="whenLeft" rows={whenLeftText} />
  </Section>
);

const books = (
  <Section id="books" title="Double-entry accounting">
    <p>
      Every movement of money other than a charge, such as a deposit, a withdrawal or its fee, is a transfer with at least two entries that
      add up to zero: what one account receives, another gives. Transfers and charges are only added, never changed or deleted. A mistake is
      corrected with another transfer.
    </p>
    <p>
      Only one part of the service writes the ledger, and each change is a single database transaction. A charge is committed to disk before
      you get the end of the answer that it pays for.
    </p>
  </Section>
);

const check = (
  <Section id="check" title="Continuous checks">
    <p>
      A job checks the books about once a minute, or less often when they are large. It recalculates everything from the entries and alerts
      the operator on any difference:
    </p>
    <ul className="list-disc space-y-1.5 pl-5 marker:text-faint">
      <li>Every balance equals the sum of its entries and charges.</li>
      <li>The entries of each transfer sum to zero.</li>
      <li>Reserved funds equal the running requests.</li>
      <li>Each request was charged once, its tokens at its price, and at most what was reserved.</li>
      <li>What each key with a spending limit spent equals its charges.</li>
      <li>Recorded deposits, withdrawals and payments match the ledger.</li>
      <li>The USDC we hold covers what we owe, in the latest reserves report.</li>
      <li>The audit log has no missing or changed entry. It is checked part by part.</li>
    </ul>
    <p>
      You can check your own account: credited <DocLink href="/docs/api/listDeposits">deposits</DocLink> and payments, minus withdrawals
      with their fees and <DocLink href="/docs/api/getUsage">usage</DocLink>, are the balance to the last digit.
    </p>
  </Section>
);

const reserves = (
  <Section id="reserves" title="Reserves">
    <p>
      We compare the USDC that we hold on both chains with what we owe customers, about every 30 seconds, or less often when there are many
      addresses to read. <DocLink href="/reserves">Reserves</DocLink> shows the result and the block it was read at. If we hold less than we
      owe, all withdrawals stop until the difference is restored.
    </p>
  </Section>
);

const unpromised = (
  <Section id="not-promised" title="What we don’t promise">
    <ul className="list-disc space-y-1.5 pl-5 marker:text-faint">
      <li>That token counts are right. They are the provider’s, and we can’t verify most of them.</li>
      <li>That our own count of a stopped stream equals the provider’s. It is designed to be lower on average, but it is an estimate.</li>
      <li>
        That every answer arrives. If the connection drops, you may pay for an answer you did not receive; a retry with the same
        Idempotency-Key returns what you paid for.
      </li>
      <li>
        That a credited deposit stays. If Base drops its block before it is final, the deposit is removed until it is in another block; see{" "}
        <DocLink href="/docs/deposits#states">deposit states</DocLink>.
      </li>
      <li>That the ledger is audited by a third party. It is not, and the reserves page can’t prove that all debts are in it.</li>
      <li>That deposits are insured, or that USDC keeps its value. Keep only what you plan to spend.</li>
    </ul>
  </Section>
);

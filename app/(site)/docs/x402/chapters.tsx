import { Code } from "@/components/docs/code";
import { CodeTabs } from "@/components/docs/code-tabs";
import { FieldTable } from "@/components/docs/field-table";
import { chapterLink, DocLink, Section, Steps } from "@/components/docs/section";
import { CodeBlock } from "@/components/ui/code-block";
import { formatUsd } from "@/lib/base/money";
import { leastPrice } from "@/lib/gateway/x402/price";
import type { PaymentChapterProps } from "../payments/chapters";
import { exportWallet } from "../payments/examples";
import { baseExample, priceExample, solanaExample } from "./examples";

const Protocol = () => (
  <a href="https://www.x402.org" rel="noreferrer" className={chapterLink}>
    x402
  </a>
);

export const WhatChapter = ({ id, title }: PaymentChapterProps) => (
  <Section id={id} title={title}>
    <p>
      <Protocol /> is an open way to pay for an HTTP request: the server answers 402 with a price, the client’s wallet signs it, and the
      same request with that signature is answered. <Code>POST /api/v1/x402/prompt</Code> speaks its version 2. It takes the body of{" "}
      <Code>/api/v1/prompt</Code> and needs no API key, no account and no allowance.
    </p>
    <FieldTable
      heading="Network"
      rows={[
        { name: "Base", about: "Scheme exact: the wallet signs an EIP-3009 authorization of USDC. We pay the gas." },
        {
          name: "Solana",
          about:
            "Scheme exact: the wallet signs a transfer of USDC. We are its fee payer, so the wallet needs no SOL. What Phantom and Solflare add to it as a guard is taken along; any other instruction is refused.",
        },
      ]}
    />
  </Section>
);

export function ClientChapter({ id, title, site, model }: PaymentChapterProps) {
  return (
    <Section id={id} title={title}>
      <p>
        x402’s own client works unchanged: <Code>npm install @x402/fetch @x402/evm viem</Code>, or for Solana{" "}
        <Code>@x402/fetch @x402/svm @solana/kit @scure/base</Code>.
      </p>
      <CodeBlock title="Set the wallet" copy={exportWallet(site)} />
      <CodeTabs
        name="client"
        legend="Network"
        tabs={[
          { label: "Base", title: "Pay on Base", code: baseExample(site, model) },
          { label: "Solana", title: "Pay on Solana", code: solanaExample(site, model) },
        ]}
      />
      {site.isSandbox ? (
        <p>
          This is a sandbox: pay on Base with the demo wallet. x402’s client for Solana knows the public clusters only, and this sandbox’s
          is none of them.
        </p>
      ) : null}
      <p>What it does for you:</p>
      <Steps
        steps={[
          {
            when: "Asks",
            what: (
              <>
                It sends the request, and gets 402 with the header <Code>PAYMENT-REQUIRED</Code>: what may be signed, on each network.
              </>
            ),
          },
          {
            when: "Signs",
            what: (
              <>
                The wallet signs one of them. <Code>extra.bodyHash</Code> ties it to this very body: for another one it is refused.
              </>
            ),
          },
          {
            when: "Sends",
            what: (
              <>
                It sends the same request with <Code>PAYMENT-SIGNATURE</Code>. We settle it on the chain, and read there that it is paid,
                before a model is called.
              </>
            ),
          },
          {
            when: "Gets",
            what: (
              <>
                The answer, with its <Code>payment</Code>, and <Code>PAYMENT-RESPONSE</Code> with the transaction. Errors carry that header
                too.
              </>
            ),
          },
        ]}
      />
    </Section>
  );
}

export function PriceChapter({ id, title, site, model }: PaymentChapterProps) {
  const least = leastPrice();
  return (
    <Section id={id} title={title}>
      <p>
        The price is the most that the request can cost, to the last unit of USDC
        {least > 0n ? <>, and at least {formatUsd(least)}, since a payment costs us a transaction</> : null}; lower <Code>maxTokens</Code>{" "}
        to lower it. Clients pay up to 1 USD without being asked, so a request that can cost more is refused with 400, and{" "}
        <Code>details.affordableMaxTokens</Code> says what 1 USD is enough for.
      </p>
      <CodeBlock title="curl, the price" copy={priceExample(site, model)} />
      <p>
        Nothing is lost by that. What the answer costs less is a credit of the paying address. When the credit covers a later request by
        itself, the authorization that came with it is not carried out, and nothing leaves the wallet: <Code>payment.transaction</Code> is
        null then.
      </p>
      <p>
        To have a credit in a balance, connect the wallet here: signing in moves it. What comes later can be moved under{" "}
        <DocLink href="/payments">Pay per request</DocLink>.
      </p>
    </Section>
  );
}

export const FailureChapter = ({ id, title }: PaymentChapterProps) => (
  <Section id={id} title={title}>
    <FieldTable
      heading="What came"
      rows={[
        { name: "402", about: "Nothing has moved. details.reason says why; PAYMENT-REQUIRED says what may be signed now." },
        {
          name: "503",
          about: (
            <>
              <DocLink href="/docs/errors/SETTLEMENT_PENDING">SETTLEMENT_PENDING</DocLink>: the payment may be on its way. Send the very
              same request with the very same <Code>PAYMENT-SIGNATURE</Code> again: it never pays twice.
            </>
          ),
        },
        {
          name: "500",
          about:
            "The model failed after the payment was settled. All of it is a credit of the address. Send the same again and it is served from that, or ask anew: the credit pays first.",
        },
        {
          name: "no answer",
          about: "Send the same again. If it was answered meanwhile, you get that answer for 24 hours, and nothing is paid twice.",
        },
      ]}
    />
    <p>
      One authorization pays once, and one answer is charged once, however often and from wherever they are sent. Should somebody else carry
      an authorization out that we did not, as the chain allows, its amount is credited to the address that paid.
    </p>
  </Section>
);

export const OperatorsChapter = ({ id, title }: PaymentChapterProps) => (
  <Section id={id} title={title}>
    <p>
      Programs find the endpoint, its networks and its terms at <Code>/.well-known/x402</Code>, and with the terms of signed payments at{" "}
      <Code>/api/v1/payment-terms</Code>.
    </p>
    <p>
      Whoever runs this service may have payments settled by an outside facilitator. It is taken at its word for nothing: a payment counts
      when we read it on the chain ourselves, and a facilitator that fails, or lies, can cost nobody an answer that was paid.
    </p>
  </Section>
);

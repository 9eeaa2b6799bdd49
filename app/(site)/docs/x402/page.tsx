import { readSite, type Site } from "@/app/site";
import { Code } from "@/components/docs/code";
import { CodeTabs } from "@/components/docs/code-tabs";
import { DocsArticle, docsMetadata } from "@/components/docs/docs-frame";
import { FieldTable } from "@/components/docs/field-table";
import { chapterLink, DocLink, Section, Steps } from "@/components/docs/section";
import { CodeBlock } from "@/components/ui/code-block";
import { formatUsd } from "@/lib/base/money";
import { defaultModelPrice, listModelPrices } from "@/lib/console/models";
import { leastPrice } from "@/lib/gateway/x402/price";
import { exportWallet } from "../payments/examples";
import { baseExample, priceExample, solanaExample } from "./examples";

export const metadata = docsMetadata("/docs/x402");

const Protocol = () => (
  <a href="https://www.x402.org" rel="noreferrer" className={chapterLink}>
    x402
  </a>
);

export default function X402DocsPage() {
  const site = readSite();
  const model = defaultModelPrice(listModelPrices()).id;
  return (
    <DocsArticle path="/docs/x402">
      {what}
      {client(site, model)}
      {price(site, model)}
      {extensions}
      {failures}
      {discovery}
    </DocsArticle>
  );
}

const what = (
  <Section id="what" title="Without an account">
    <p>
      <Protocol /> is an open standard for paying for HTTP requests: the server returns 402 with a price, the client’s wallet signs a
      payment, and the client sends the request again with the signature. <Code>POST /api/v1/x402/prompt</Code> supports version 2. It takes
      the same body as <Code>/api/v1/prompt</Code> and needs no API key, no account and no allowance. Web pages can call it from any origin
      (CORS).
    </p>
    <FieldTable
      isPlain
      heading="Network"
      about="Payment"
      rows={{
        Base: "Scheme exact: the wallet signs an EIP-3009 authorization of USDC. We pay the gas.",
        Solana:
          "Scheme exact: the wallet signs a transfer of USDC. We pay the fee, so the wallet needs no SOL. Guard instructions added by Phantom and Solflare are accepted; any other instruction is refused.",
      }}
    />
  </Section>
);

const client = (site: Site, model: string) => (
  <Section id="client" title="Example">
    <p>
      The official x402 client works: <Code>npm install @x402/fetch @x402/evm viem</Code>, or for Solana{" "}
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
        This is a sandbox: pay on Base with the demo wallet. The x402 client for Solana only supports public clusters, not this sandbox.
      </p>
    ) : null}
    <p>What it does for you:</p>
    <Steps
      steps={{
        Request: (
          <>
            It sends the request and gets 402 with the header <Code>PAYMENT-REQUIRED</Code>: the payment options for each network.
          </>
        ),
        Sign: (
          <>
            The wallet signs one of them. <Code>extra.bodyHash</Code> binds the payment to this body; with any other body it is refused.
          </>
        ),
        Pay: (
          <>
            It sends the same request with <Code>PAYMENT-SIGNATURE</Code>. We settle it on-chain and confirm the payment before the model is
            called.
          </>
        ),
        Response: (
          <>
            The answer, with its <Code>payment</Code>, and the header <Code>PAYMENT-RESPONSE</Code> with the transaction. Errors after a
            payment have that header too.
          </>
        ),
      }}
    />
  </Section>
);

function price(site: Site, model: string) {
  const least = leastPrice();
  return (
    <Section id="price" title="Price and credits">
      <p>
        The price is the maximum cost of the request, rounded up to the smallest unit of USDC
        {least > 0n ? <>, and at least {formatUsd(least)}, because each payment costs us a transaction</> : null}. Lower{" "}
        <Code>maxTokens</Code> to reduce it. By default, x402 clients pay at most 1 USD, so a request that can cost more is refused with
        400, and <Code>details.affordableMaxTokens</Code> tells you what 1 USD covers.
      </p>
      <CodeBlock title="curl, the price" copy={priceExample(site, model)} />
      <p>
        You only pay the exact cost. The rest becomes a credit of the paying address. If the credit covers a later request, the new
        authorization is not used and nothing leaves the wallet; <Code>payment.transaction</Code> is then null.
      </p>
      <p>
        To move the credit to an account balance, sign in with the wallet. Later credits can be moved under{" "}
        <DocLink href="/payments">Pay per request</DocLink>.
      </p>
    </Section>
  );
}

const extensions = (
  <Section id="extensions" title="Extensions">
    <p>
      The 402 response also announces extensions for the package <Code>@x402/extensions</Code>:
    </p>
    <FieldTable
      heading="Extension"
      rows={{
        "payment-identifier": (
          <>
            An ID of your choice for one payment: 16 to 128 letters, digits, hyphens and underscores. The same payment with the same body
            gets the same answer again; anything else with that ID gets 409{" "}
            <DocLink href="/docs/errors/PAYMENT_CONFLICT">PAYMENT_CONFLICT</DocLink> before it is verified.
          </>
        ),
        "sign-in-with-x":
          "Pays from the wallet’s credit without a payment: the wallet signs a message that is valid for this one request, for five minutes. If the credit is too low, the response is 402 and the client pays as usual.",
        bazaar: "A description of the endpoint for catalogues: its body, the body’s schema, and an example response.",
      }}
    />
    <p>
      The scheme <Code>upto</Code> is not offered: it settles after the answer, when the wallet may be empty. Instead, your change becomes a
      credit and pays for later requests.
    </p>
  </Section>
);

const failures = (
  <Section id="failures" title="Failures">
    <FieldTable
      heading="Result"
      rows={[
        [
          "400",
          "With a payment: the body is invalid. Without one, an invalid body still gets a price, but a body over 1 MiB, a prompt longer than the context window, and a request that can cost more than 1 USD or maxCost do not. No USDC has moved.",
        ],
        [
          "402",
          "Without a payment, the price. With one, it was not accepted; see details.reason. Unless the message says otherwise, no USDC has moved. PAYMENT-REQUIRED has the current payment options.",
        ],
        [
          "503",
          <>
            <DocLink href="/docs/errors/SETTLEMENT_PENDING">SETTLEMENT_PENDING</DocLink>: the payment may still be processing. Send the same
            request with the same <Code>PAYMENT-SIGNATURE</Code> again: it never pays twice.
          </>,
        ],
        [
          "500",
          "The model failed after the payment. The whole amount is now a credit of the paying address. Send the same request again, or a new one: the credit is used first.",
        ],
        [
          "503",
          <>
            <DocLink href="/docs/errors/PROVIDER_BUSY">PROVIDER_BUSY</DocLink>: the same, after Retry-After.
          </>,
        ],
        ["no answer", "Send the same request again. If it was answered, you get that answer for 24 hours, without paying twice."],
      ]}
    />
    <p>
      Each authorization pays once, and each answer is charged once, no matter how often you send the request. If someone else submits your
      authorization to the chain, which is possible, the amount is credited to the paying address.
    </p>
  </Section>
);

const discovery = (
  <Section id="discovery" title="Discovery and facilitators">
    <p>
      The endpoint, the networks and the terms are published at <Code>/.well-known/x402</Code>, and at <Code>/api/v1/payment-terms</Code>{" "}
      together with the terms of signed payments.
    </p>
    <p>
      The service can be configured to settle payments through an external facilitator. We still verify every payment on-chain ourselves, so
      a facilitator that fails or lies can’t cost you an answer you paid for.
    </p>
  </Section>
);

import { readSite, type Site } from "@/app/site";
import { Code, WithCode } from "@/components/docs/code";
import { CodeTabs } from "@/components/docs/code-tabs";
import { DocsArticle, docsMetadata } from "@/components/docs/docs-frame";
import { FieldTable } from "@/components/docs/field-table";
import { DocLink, Section, Steps } from "@/components/docs/section";
import { CodeBlock } from "@/components/ui/code-block";
import { paymentReasonNames } from "@/lib/base/errors/payment-reasons";
import { defaultModelPrice, listModelPrices } from "@/lib/console/models";
import { messageLines } from "@/lib/gateway/reads/payment-terms";
import { approveExample, exportWallet, openaiExample, payExample, termsExample } from "./examples";
import { paymentCures } from "./reasons";

export const metadata = docsMetadata("/docs/payments");

export default function PaymentsDocsPage() {
  const site = readSite();
  const model = defaultModelPrice(listModelPrices()).id;
  return (
    <DocsArticle path="/docs/payments">
      {moves(site)}
      {text(site)}
      {rights}
      {example(site, model)}
      {change}
      {again}
      {reasons}
    </DocsArticle>
  );
}

const moves = (site: Site) => (
  <Section id="moves" title="How it works">
    <p>
      A request to <Code>/api/v1/prompt</Code> can include a <Code>payment</Code>: a message signed by a wallet. The wallet pays for that
      request instead of your balance. USDC moves on Base before the model is called.
    </p>
    <Steps
      steps={{
        Once: "The wallet approves the payment contract for an amount of USDC. This is a transaction and costs gas.",
        "Each request": "The wallet signs four lines. This is free, and no USDC moves yet.",
        Checks:
          "We check the key, its limits, the body, the model and the maximum cost; then the signature, the wallet’s USDC and its allowance. If a check fails, no USDC moves.",
        Payment:
          "Our relayer submits your signature to the contract and pays the gas. The contract moves the signed amount from the wallet to the treasury, once.",
        Credit: "The amount is credited and the maximum cost reserved in one step. Only then is the model called.",
        Charge:
          "You pay the exact cost. The change stays yours: in the balance of the account linked to the wallet, or as a credit of the wallet’s address.",
      }}
    />
    {site.isSandbox ? <p>This is a sandbox: Base runs locally, and its USDC has no value. The demo wallet pays like any other.</p> : null}
    <p>
      To try it in the console, approve USDC under <DocLink href="/payments">Pay per request</DocLink>, then press “Pay with my wallet” in
      the <DocLink href="/playground">playground</DocLink>.
    </p>
  </Section>
);

const text = (site: Site) => (
  <Section id="text" title="The message">
    <p>Four lines, separated by a single line feed, with none at the end. The wallet signs them as a personal message (EIP-191).</p>
    <CodeBlock title="Message to sign" copy={messageLines(site.name).join("\n")} />
    <FieldTable
      heading="Field"
      rows={{
        from: "The paying wallet: 0x and 40 hex digits, in lower case or with their checksum.",
        requestId:
          "req_ and a number of up to 31 digits without leading zeros. You choose it; use a new one for each payment of the wallet.",
        amount: "Whole cents of USDC: at least the maximum cost of the request, which a quote returns as paymentCents.",
        timestamp: "Unix time in milliseconds, at most five minutes in the past or future when we first receive the payment.",
        network: "base, or ethereum, which means the same.",
        signature: "Of the message, as returned by personal_sign. A contract wallet (ERC-1271) must be deployed on Base.",
      }}
    />
    <p>
      The payment terms list the contract’s address, who may call it, and where the money goes; no key is needed. The address is derived
      from these terms, and the contract has no owner: nobody can change it.
    </p>
    <CodeBlock title="curl, payment terms" copy={termsExample(site)} />
  </Section>
);

const rights = (
  <Section id="rights" title="What a signature can do">
    <p>A signature moves exactly its amount, once, from your wallet to the treasury. It can’t</p>
    <ul className="list-disc space-y-1.5 pl-5 marker:text-faint">
      <li>move more, or move it twice: the contract remembers each pair of wallet and request ID;</li>
      <li>pay anyone else: the treasury’s address is part of the contract;</li>
      <li>be used late: more than five minutes after its timestamp, the contract rejects it for good;</li>
      <li>
        be used by a thief, if the wallet is linked to an account: only our relayer can submit it, and we only accept it with a key of that
        account. Link a wallet that you pay with often;
      </li>
      <li>be used at another service: the message starts with the service’s name.</li>
    </ul>
    <p>
      The allowance is the other limit. The contract can’t use it without your signature, and you can revoke it with <Code>approve</Code> 0
      here or in any wallet. Approve only what you plan to spend soon.
    </p>
  </Section>
);

const example = (site: Site, model: string) => (
  <Section id="example" title="Example">
    <p>
      You need the <Code>viem</Code> package, an API key in <Code>{site.keyVariable}</Code>, and a wallet with USDC and a little ETH.
    </p>
    <CodeBlock title="Set the wallet" copy={exportWallet(site)} />
    <CodeTabs
      name="pay"
      legend="What to do"
      tabs={[
        { label: "Once: allow", title: "Allow up to 5 USDC", code: approveExample(site) },
        { label: "Then: pay", title: "Pay for a prompt", code: payExample(site, model) },
        { label: "openai", title: "Pay, with the openai package", code: openaiExample(site, model) },
      ]}
    />
    <p>
      The bodies of OpenAI’s and Anthropic’s formats have no field for a payment. Send it in the header <Code>Payment-Proof</Code> instead,
      as base64 of the same JSON. This works with <Code>/prompt</Code> too.
    </p>
  </Section>
);

const change = (
  <Section id="change" title="Response and change">
    <p>
      The response includes <Code>payment</Code>, and so does the last event of a stream that completes.
    </p>
    <FieldTable
      heading="Field"
      rows={{
        amount: "Paid by the wallet, in USDC cents.",
        amountUsd: "The same in USD.",
        transaction: "The settlement on Base.",
        charged: "USD: the cost of the request.",
        change: "USD: the rest of amountUsd.",
        changeBelongsTo: "account: the change is in the balance of your account. address: it is a credit of the wallet in from.",
      }}
    />
    <p>
      Change goes to the account of the API key only if the wallet is linked to it. Connect the wallet, or link it in{" "}
      <DocLink href="/settings">Settings</DocLink>, to move its credit to your balance. If the model fails after the payment, the whole
      amount is change.
    </p>
  </Section>
);

const again = (
  <Section id="again" title="Retries">
    <p>
      Each pair of <Code>from</Code> and <Code>requestId</Code> pays only once. You can safely send the same request again:
    </p>
    <FieldTable
      heading="Result"
      rows={[
        ["no answer", "Send it again. If it was answered, you get that answer for 24 hours, without another payment or charge."],
        [
          "503",
          <>
            <DocLink href="/docs/errors/SETTLEMENT_PENDING">SETTLEMENT_PENDING</DocLink>: the payment is still being processed. Send it
            again after Retry-After, even after the five minutes.
          </>,
        ],
        [
          "503",
          <>
            <DocLink href="/docs/errors/PROVIDER_BUSY">PROVIDER_BUSY</DocLink>: send it again after Retry-After. It uses the first payment.
          </>,
        ],
        ["500", "The model failed. Send it again: it uses the first payment, unless you have spent the change since."],
        ["409", "The first request is still running. Send it again after Retry-After."],
      ]}
    />
    <p>The same payment with a different body, or with a key of another account, is refused. No more USDC moves.</p>
  </Section>
);

const reasons = (
  <Section id="reasons" title="Refusal reasons">
    <p>
      A refused payment returns 402 <DocLink href="/docs/errors/PAYMENT_VERIFICATION_FAILED">PAYMENT_VERIFICATION_FAILED</DocLink>. Unless
      the message says otherwise, no USDC has moved. <Code>details.reason</Code> is one of these:
    </p>
    <FieldTable
      heading="Reason"
      rows={Object.fromEntries(paymentReasonNames.map((name) => [name, <WithCode key={name} text={paymentCures[name]} />]))}
    />
  </Section>
);

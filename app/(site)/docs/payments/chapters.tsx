import type { Site } from "@/app/site";
import { Code, WithCode } from "@/components/docs/code";
import { CodeTabs } from "@/components/docs/code-tabs";
import { FieldTable } from "@/components/docs/field-table";
import { DocLink, Section, Steps } from "@/components/docs/section";
import { CodeBlock } from "@/components/ui/code-block";
import { paymentReasonNames } from "@/lib/gateway/proof/refusal";
import { messageLines } from "@/lib/gateway/reads/payment-terms";
import { approveExample, exportWallet, openaiExample, payExample, termsExample } from "./examples";
import { paymentCures } from "./reasons";

export interface PaymentChapterProps {
  id: string;
  title: string;
  site: Site;
  /** The model used in examples. */
  model: string;
}

export function MovesChapter({ id, title, site }: PaymentChapterProps) {
  return (
    <Section id={id} title={title}>
      <p>
        A request to <Code>/api/v1/prompt</Code> may carry a <Code>payment</Code>: a text that a wallet signed. The wallet pays for this one
        request; the balance of the API key is not touched and may be zero. USDC moves on Base, for real, before a model is called.
      </p>
      <Steps
        steps={[
          {
            when: "Once",
            what: "The wallet allows the payment contract to take up to an amount of its USDC. This is a transaction, and costs gas.",
          },
          { when: "Each request", what: "The wallet signs four lines. This costs nothing, and nothing has moved yet." },
          {
            when: "We check",
            what: "Key, limits, body, model and the most that the request can cost; then the signature, the wallet’s USDC and its allowance. What is refused here has moved nothing.",
          },
          {
            when: "It moves",
            what: "Our relayer hands your signature to the contract and pays the gas. The contract moves the signed amount from the wallet to the treasury, once.",
          },
          {
            when: "It is credited",
            what: "The amount is booked, and the request’s hold with it, in one commit. Only then is the model called.",
          },
          {
            when: "It is charged",
            what: "The exact cost, as always. The change stays yours: in the balance of the account that the wallet is linked to, else as a credit of its address.",
          },
        ]}
      />
      {site.isSandbox ? (
        <p>
          This is a sandbox: its Base is a chain inside this machine, and its USDC is worth nothing. The demo wallet pays like any other.
        </p>
      ) : null}
      <p>
        The console shows it: allow USDC under <DocLink href="/payments">Pay per request</DocLink>, then press “Pay with my wallet” in the{" "}
        <DocLink href="/playground">playground</DocLink>.
      </p>
    </Section>
  );
}

export function TextChapter({ id, title, site }: PaymentChapterProps) {
  return (
    <Section id={id} title={title}>
      <p>Four lines, joined by one line feed, none after the last. The wallet signs them as a personal message (EIP-191).</p>
      <CodeBlock title="What is signed" copy={messageLines(site.name).join("\n")} />
      <FieldTable
        heading="Field"
        rows={[
          { name: "from", about: "The paying wallet: 0x and 40 hex digits, in lower case or with their checksum." },
          {
            name: "requestId",
            about: <>req_ and a number without leading zeros, another one for each payment of the wallet. You choose it.</>,
          },
          { name: "amount", about: "Whole cents of USDC: at least the most that the request can cost. A quote tells that beforehand." },
          { name: "timestamp", about: "Unix time in milliseconds, at most five minutes from now when the payment first comes." },
          { name: "network", about: "base, or ethereum, which means the same." },
          { name: "signature", about: "Of the text, as personal_sign returns it. A contract wallet (ERC-1271) must be deployed on Base." },
        ]}
      />
      <p>
        Where the contract is, who may call it and where the money goes, stands in the payment terms; no key is needed. The contract’s
        address follows from these terms, and it has no owner: nobody can change it.
      </p>
      <CodeBlock title="curl, payment terms" copy={termsExample(site)} />
    </Section>
  );
}

export const RightsChapter = ({ id, title }: PaymentChapterProps) => (
  <Section id={id} title={title}>
    <p>It moves exactly the amount in it, once, from your wallet to the treasury. It cannot</p>
    <ul className="list-disc space-y-1.5 pl-5 marker:text-faint">
      <li>move more, or twice: the contract remembers each pair of wallet and number;</li>
      <li>move anything to anybody else: the treasury’s address is part of the contract;</li>
      <li>wait: five minutes after its time the contract refuses it for good;</li>
      <li>
        serve a thief, once the wallet is linked to an account: only our relayer may hand it in, and we take it with a key of that account
        alone. So link a wallet that pays often;
      </li>
      <li>count at another deployment: the first word of the text is another there.</li>
    </ul>
    <p>
      The allowance is the other half. Without a signature of yours the contract takes nothing of it, and <Code>approve</Code> with 0 takes
      it back, here or in any wallet. Allow what you mean to spend soon, not everything.
    </p>
  </Section>
);

export function ExampleChapter({ id, title, site, model }: PaymentChapterProps) {
  return (
    <Section id={id} title={title}>
      <p>
        It needs the <Code>viem</Code> package, an API key in <Code>{site.keyVariable}</Code>, and a wallet with USDC and a little ETH.
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
        <Code>/chat/completions</Code> has OpenAI’s own body, with no room for a payment: there the header <Code>Payment-Proof</Code>{" "}
        carries it, as base64 of the same JSON. It works at <Code>/prompt</Code> too.
      </p>
    </Section>
  );
}

export function ChangeChapter({ id, title }: PaymentChapterProps) {
  return (
    <Section id={id} title={title}>
      <p>
        The answer’s last field is <Code>payment</Code>; a stream’s <Code>done</Code> event has it too.
      </p>
      <FieldTable
        heading="Field"
        rows={[
          { name: "amount", about: "What left the wallet, in USDC cents." },
          { name: "transaction", about: "The settlement on Base." },
          { name: "charged", about: "USD: what the answer cost." },
          { name: "change", about: "USD: what is left of the amount." },
          { name: "changeBelongsTo", about: "account: it is in the balance of your account. address: it is a credit of from." },
        ]}
      />
      <p>
        Change is never the API key’s unless the wallet is linked to its account. Connect the wallet, or link it in the{" "}
        <DocLink href="/settings">settings</DocLink>, and its credit moves to your balance. When a model fails after the payment was
        settled, all of the amount is change.
      </p>
    </Section>
  );
}

export const AgainChapter = ({ id, title }: PaymentChapterProps) => (
  <Section id={id} title={title}>
    <p>
      One <Code>from</Code> and <Code>requestId</Code> pay once, whatever happens. Send the very same request again as often as you need to:
    </p>
    <FieldTable
      heading="What came"
      rows={[
        {
          name: "no answer",
          about: "Send it again. If it was answered meanwhile, you get that answer, for 24 hours, and nothing is charged twice.",
        },
        {
          name: "503",
          about: (
            <>
              <DocLink href="/docs/errors/SETTLEMENT_PENDING">SETTLEMENT_PENDING</DocLink>: the payment is on its way and nobody knows yet
              how it ends. Send it again after Retry-After, past its five minutes too.
            </>
          ),
        },
        { name: "500", about: "The model failed. Send it again: it is served from what was paid, without a second payment." },
        { name: "409", about: "The first one still runs." },
      ]}
    />
    <p>Another body, amount or key under the same payment is refused as replayed, and moves nothing.</p>
  </Section>
);

export const ReasonsChapter = ({ id, title }: PaymentChapterProps) => (
  <Section id={id} title={title}>
    <p>
      A payment that is not accepted answers 402{" "}
      <DocLink href="/docs/errors/PAYMENT_VERIFICATION_FAILED">PAYMENT_VERIFICATION_FAILED</DocLink>, and has moved nothing.{" "}
      <Code>details.reason</Code> is one of these:
    </p>
    <FieldTable heading="Reason" rows={paymentReasonNames.map((name) => ({ name, about: <WithCode text={paymentCures[name]} /> }))} />
  </Section>
);

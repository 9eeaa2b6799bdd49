import { Code } from "@/components/docs/code";
import { DocsArticle, docsMetadata } from "@/components/docs/docs-frame";
import { FieldTable } from "@/components/docs/field-table";
import { DocLink, Section } from "@/components/docs/section";

export const metadata = docsMetadata("/docs/keys");

export default function KeysDocsPage() {
  return (
    <DocsArticle path="/docs/keys">
      <Section id="may" title="What a key may do">
        <FieldTable
          heading="Scope"
          rows={{
            prompt: "Send prompts, get quotes and count tokens.",
            read: "Read the balance, deposits, and the usage and receipts of this key.",
            account: "Read the usage and receipts of all keys, the account’s events and its whole audit log.",
          }}
        />
        <p>
          New keys have <Code>prompt</Code> and <Code>read</Code>. A key that lacks a scope gets <Code>403</Code> with{" "}
          <DocLink href="/docs/errors/KEY_NOT_ALLOWED">KEY_NOT_ALLOWED</DocLink>, and <Code>details.neededScope</Code> names it. No key can
          withdraw, create keys or change anything: that takes a signed-in wallet.
        </p>
        <p>
          Whatever gives a key more power, and every new key, is signed by one of your wallets over a line that says what it is. For 15
          minutes after a signature it is not asked for again where the keys end within 90 days and can spend at most $5 together. Pausing,
          revoking and lowering limits never asks for one.
        </p>
        <p>
          Every change of a key, and of wallets, sessions, alerts and withdrawals, is in the audit log: who made it, from where, and what
          was before. You read it under <DocLink href="/activity">Activity</DocLink>, or with <Code>GET /api/v1/audit</Code>; a key without
          the scope <Code>account</Code> reads what is about itself. Nobody can change or delete an entry. Its addresses, browsers, names
          and signed texts are erased after a while, and when you close your account.
        </p>
      </Section>
      <Section id="addresses" title="From which addresses">
        <p>
          A key can be limited to IP addresses and CIDR blocks, up to 20. Requests from elsewhere get <Code>403</Code>, and{" "}
          <Code>details.address</Code> says where they came from.
        </p>
      </Section>
      <Section id="money" title="How much it may spend">
        <p>
          A cap per hour, day, week, month or in total is never exceeded, whatever runs at the same time: each request reserves its maximum
          cost first. At the cap, requests fail with <DocLink href="/docs/errors/SPEND_CAP_REACHED">SPEND_CAP_REACHED</DocLink>. The
          spending alarm tells you, and pauses the key if you want it to, when it spends far more in an hour than it usually does.
        </p>
      </Section>
      <Section id="secret" title="Change its secret">
        <p>
          “New secret” gives the same key a new text. The old one keeps working for as long as you choose, up to 7 days, so that you can
          deploy the new one without an outage, and you can end it at any time. The key keeps its name, limits and usage. Changing the
          secret again ends the one before at once.
        </p>
      </Section>
      <Section id="leaked" title="If a key has leaked">
        <p>
          Pause or revoke it: every process refuses it within a second. To keep the key, choose “New secret” and let the old one end at
          once. Receipts show what was spent with it.
        </p>
      </Section>
    </DocsArticle>
  );
}

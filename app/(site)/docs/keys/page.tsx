import { Code } from "@/components/docs/code";
import { DocsArticle, docsMetadata } from "@/components/docs/docs-frame";
import { FieldTable } from "@/components/docs/field-table";
import { DocLink, Section } from "@/components/docs/section";

export const metadata = docsMetadata("/docs/keys");

export default function KeysDocsPage() {
  return (
    <DocsArticle path="/docs/keys">
      <Section id="may" title="What a key can do">
        <FieldTable
          heading="Scope"
          rows={{
            prompt: "Send prompts, create embeddings, get quotes and count tokens.",
            read: "Read the balance, deposits, and the usage, receipts and audit log of this key.",
            account: "In addition to read: the usage and receipts of all keys, the account’s events and its whole audit log.",
          }}
        />
        <p>
          By default, keys have <Code>prompt</Code> and <Code>read</Code>. A request outside the key’s scopes gets <Code>403</Code>{" "}
          <DocLink href="/docs/errors/KEY_NOT_ALLOWED">KEY_NOT_ALLOWED</DocLink>, and <Code>details.neededScope</Code> names the missing
          scope. No key can withdraw, create keys or change settings. Only a signed-in wallet can.
        </p>
        <p>
          Creating a key, giving it more access, replacing its secret or resuming it needs a signature from one of your wallets. The message
          states exactly what you allow. For 15 minutes after a signature or sign-in, you aren’t asked for keys that expire within 90 days
          and whose spending limits, none of them hourly, add up to at most $5. Pausing, revoking and lowering limits never need a
          signature.
        </p>
        <p>
          The audit log records every change to keys, wallets, sessions, alerts and withdrawals: who made it, from where, and the previous
          value. See it under <DocLink href="/activity">Activity</DocLink> or with <Code>GET /api/v1/audit</Code>; a key without the scope{" "}
          <Code>account</Code> only sees entries about itself. Entries are only added: each one contains a hash of the one before it, so a
          changed or deleted entry is noticed. Personal data in the log is deleted over time; see{" "}
          <DocLink href="/docs/privacy#account">Privacy</DocLink>.
        </p>
      </Section>
      <Section id="addresses" title="Allowed IP addresses">
        <p>
          You can limit a key to up to 20 IP addresses and CIDR blocks. Requests from other addresses get <Code>403</Code>, and{" "}
          <Code>details.address</Code> contains the address they came from.
        </p>
      </Section>
      <Section id="money" title="Spending limit and alarm">
        <p>
          A spending limit per hour, day, week, month or in total is never exceeded, however many requests run at once, because each request
          reserves its maximum cost first. Periods are in UTC, and weeks begin on Monday. The limit counts what the key spends from your
          account and what its running requests reserve, but not requests paid by a wallet that isn’t linked to the account. A request that
          could exceed the limit fails with <DocLink href="/docs/errors/SPEND_CAP_REACHED">SPEND_CAP_REACHED</DocLink>. The spending alarm
          notifies you when a key spends far more in an hour than usual, and can pause it.
        </p>
      </Section>
      <Section id="secret" title="Replace the secret">
        <p>
          “New secret” replaces the secret of a key. The old secret keeps working for as long as you choose, up to 7 days, so that you can
          deploy the new one without downtime. You can end it at any time. The key keeps its name, limits and usage. At most two secrets
          work at a time: if you replace the secret again meanwhile, you choose which of the two stops working immediately.
        </p>
      </Section>
      <Section id="leaked" title="If a key has leaked">
        <p>
          Pause or revoke it. It stops working everywhere within a second. To keep the key, choose “New secret” and end the old secret
          immediately. <DocLink href="/usage">Usage</DocLink> shows what was spent with it.
        </p>
      </Section>
    </DocsArticle>
  );
}

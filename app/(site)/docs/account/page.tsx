import { Code } from "@/components/docs/code";
import { DocsArticle, docsMetadata } from "@/components/docs/docs-frame";
import { FieldTable } from "@/components/docs/field-table";
import { DocLink, Section } from "@/components/docs/section";
import { ERASED_AFTER_DAYS } from "@/lib/console/erase-closed";

export const metadata = docsMetadata("/docs/account");

export default function AccountDocsPage() {
  return (
    <DocsArticle path="/docs/account">
      <Section id="wallets" title="Your wallets">
        <p>
          Each linked wallet can sign in and use the account; a new one can receive withdrawals after 24 hours. Link a second wallet in{" "}
          <DocLink href="/settings">Settings</DocLink> and keep it somewhere else. If you lose your only wallet, you lose the account, and
          we can’t restore it.
        </p>
      </Section>
      <Section id="lost" title="A lost or stolen wallet">
        <p>
          Sign in with another linked wallet and unlink the lost one in Settings. Unlinking takes effect after 24 hours. As soon as you
          sign, the lost wallet can’t approve anything or receive withdrawals, and its sessions end. Within these 24 hours, another linked
          wallet can stop the unlinking.
        </p>
        <p>
          If somebody unlinks your wallet, the account gets the event <Code>wallet.leaving</Code>. For 24 hours you can still sign in with
          the wallet to protect the account: cancel withdrawals, pause or revoke keys, and sign out all sessions. Then contact support with
          your account ID. We can freeze the account and keep your wallet linked. A wallet that was linked less than 24 hours ago can’t
          unlink other wallets, stop an unlinking, or loosen rules.
        </p>
        <p>
          If a wallet may be stolen, also use “Sign out everywhere” and pause all keys. Your{" "}
          <DocLink href="/docs/withdrawals#rules">withdrawal rules</DocLink> limit what a thief can do before you notice.
        </p>
      </Section>
      <Section id="signatures" title="What needs a signature">
        <p>
          Being signed in is not enough for sensitive changes. You sign a message that states what you allow: a new key, a new secret, more
          access or a weaker alarm for a key, resuming a paused key, a withdrawal, looser withdrawal rules, linking or unlinking a wallet,
          and closing the account. For 15 minutes after a signature or sign-in, you aren’t asked for keys that expire within 90 days and
          whose spending limits, none of them hourly, add up to at most $5.
        </p>
        <p>
          The <DocLink href="/playground">playground</DocLink> can spend $5 a day (UTC) without a signature. With one, it has no limit for
          15 minutes. Changes that reduce a key’s access, such as pausing it, never need a signature.
        </p>
      </Section>
      <Section id="closing" title="Close your account">
        <p>
          Withdraw your balance, then choose “Close account” in Settings and sign. You can’t close the account while a withdrawal is open, a
          request is running or a wallet is being unlinked. Keys and sessions end immediately. A remainder that is too small to withdraw
          stays in the account. To reopen it, sign in with one of its wallets; its deposit addresses stay monitored, so no deposit is lost.
          Personal data is deleted {ERASED_AFTER_DAYS} days later, unless we have frozen the account. The delay keeps a thief from erasing
          their traces: your alerts get <Code>account.closed</Code>, and signing in cancels the deletion.
        </p>
        <FieldTable
          isPlain
          heading="What"
          rows={{
            [`Deleted after ${ERASED_AFTER_DAYS} days`]:
              "Browsers and IP addresses of sessions, names and allowed networks of keys, signed messages, webhooks and email addresses, also in the audit log; events, and failed and refused requests.",
            "Deleted 24 hours after the request":
              "Answers stored for retries: to requests with an Idempotency-Key and, encrypted, to requests with a signed payment or x402. Prompts and all other answers are never stored.",
            "Kept for accounting":
              "Charges, deposits, payments and withdrawals, with amounts, models, times, addresses, transactions, the signatures that ordered them, and the apps and end users that requests named. They prove what was charged.",
            "Kept in the audit log":
              "What was changed, when and by which wallet, such as a key’s spending limit. No names, networks, IP addresses or browsers.",
            "Kept for you": "Your wallet and deposit addresses, because money that arrives later is still yours.",
          }}
        />
        <p>
          All of this is stored under your account ID, such as <Code>acc_…</Code>. See also <DocLink href="/docs/privacy">Privacy</DocLink>.
        </p>
      </Section>
    </DocsArticle>
  );
}

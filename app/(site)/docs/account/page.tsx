import { Code } from "@/components/docs/code";
import { DocsArticle, docsMetadata } from "@/components/docs/docs-frame";
import { FieldTable } from "@/components/docs/field-table";
import { DocLink, Section } from "@/components/docs/section";

export const metadata = docsMetadata("/docs/account");

export default function AccountDocsPage() {
  return (
    <DocsArticle path="/docs/account">
      <Section id="wallets" title="Your wallets">
        <p>
          Each linked wallet can sign in and do everything. Link a second one in <DocLink href="/settings">Settings</DocLink>, and keep it
          somewhere else: whoever loses their only wallet loses the account, and we cannot give it back.
        </p>
      </Section>
      <Section id="lost" title="A lost or stolen wallet">
        <p>
          Sign in with another linked wallet and unlink the lost one in Settings. That takes effect after 24 hours. From the signature on,
          the wallet that leaves can sign nothing and receive nothing, and its sessions end. Until then another wallet can have it kept.
        </p>
        <p>
          If somebody else unlinks yours, you get the event <Code>wallet.leaving</Code>. For these 24 hours your wallet still signs in, and
          takes power away, but gives none: cancel withdrawals, pause or revoke keys, end all sessions. Then contact support with your
          account ID: we can freeze the account and keep your wallet. A wallet that was linked less than 24 hours ago unlinks and keeps no
          other one, and loosens no rules.
        </p>
        <p>
          If it may be stolen, also use “Sign out everywhere” and pause all keys. Your{" "}
          <DocLink href="/docs/withdrawals#rules">own rules for withdrawals</DocLink> limit what a thief can do before you notice.
        </p>
      </Section>
      <Section id="signatures" title="What is signed">
        <p>
          A session alone gives no power away. A wallet signs a line that says what it allows: a new key, a new secret, a key’s higher
          limits or weaker alarm, a withdrawal, looser rules for withdrawals, linking and unlinking a wallet, closing the account. For 15
          minutes after a signature you are not asked again for keys that end within 90 days and together can spend at most $5.
        </p>
        <p>
          The <DocLink href="/playground">playground</DocLink> spends at most $5 a day; for more you sign, and for 15 minutes it has no
          limit. What takes power away, such as pausing a key, takes none.
        </p>
      </Section>
      <Section id="closing" title="Close your account">
        <p>
          Withdraw your balance, then choose “Close account” in Settings and sign. What is left below the smallest withdrawal stays on the
          account. Sign in with one of its wallets to open it again: its addresses stay watched, so that nothing you send to them is lost.
          Keys and sessions end at once. What names you is erased seven days later, so that nobody who closes an account that is not theirs
          removes their traces: your alerts get <Code>account.closed</Code>, and signing in stops the erasing.
        </p>
        <FieldTable
          isPlain
          heading="What"
          rows={{
            "Erased after seven days":
              "The browsers and IP addresses of sessions, the names and networks of keys, the texts you signed, webhooks and e-mail addresses, also from the audit log; events, refused requests, challenges.",
            "Erased within 24 hours":
              "In our database, so that a retry gets it: the answer to a request with an Idempotency-Key; and, encrypted so that only the same payment with the same body opens it, the answer to a request with a signed payment or a sign-in of x402. Prompts, and all other answers, are never stored.",
            "Kept for the books":
              "Charges, deposits, payments and withdrawals, with their amounts, models, times, addresses and transactions: without them the books would not add up, and nobody could prove what was charged.",
            "Kept in the audit log":
              "What was changed, when and by which wallet, such as a key’s cap and its models; no names, no networks, and no longer from where.",
            "Kept for you": "The addresses of your wallets and your deposit addresses: money that comes in later is still yours.",
          }}
        />
        <p>
          Everything that is kept is under your account ID, such as <Code>acc_…</Code>. It names no person.
        </p>
      </Section>
    </DocsArticle>
  );
}

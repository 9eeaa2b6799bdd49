import { readSite } from "@/app/site";
import { DocsArticle, docsMetadata } from "@/components/docs/docs-frame";
import { FieldTable } from "@/components/docs/field-table";
import { DocLink, Section } from "@/components/docs/section";
import { config } from "@/lib/base/config";
import { listModelPrices } from "@/lib/console/models";
import { type Retention, readRetention } from "@/lib/console/retention";

export const metadata = docsMetadata("/docs/privacy");

export default function PrivacyDocsPage() {
  const retention = readRetention();
  return (
    <DocsArticle path="/docs/privacy">
      {prompts}
      {providers()}
      {account(retention)}
      {browser()}
      {deletion(retention)}
    </DocsArticle>
  );
}

const prompts = (
  <Section id="prompts" title="Prompts and answers">
    <p>
      We don’t store prompts. They pass through memory to the model’s provider and are dropped when the request ends. They are not in our
      database, logs or backups, and we don’t train models. Answers are only stored in these cases:
    </p>
    <FieldTable
      isPlain
      heading="Case"
      about="What is stored"
      rows={{
        "With an Idempotency-Key": "The answer, and a SHA-256 hash of the request, for 24 hours, so that a retry gets the same answer.",
        "With a signed payment or x402": "The same, encrypted so that only the same payment or sign-in with the same body can open it.",
        "In the playground": "Conversations are kept in your browser, not on our servers.",
      }}
    />
    <p>To have no answers stored, send requests with an API key, without an Idempotency-Key and without a payment.</p>
  </Section>
);

/** "OpenAI, Anthropic and Google" */
function providers() {
  const names = new Intl.ListFormat("en-GB").format(new Set(listModelPrices().map(({ provider }) => provider)));
  const { isSandbox } = readSite();
  return (
    <Section id="providers" title="Who sees your prompts">
      <p>
        The provider of the model you name receives the prompt, images and tools included, over TLS. Its own terms decide what it keeps.{" "}
        <DocLink href="/models">Each model’s page</DocLink> names its provider: {names}. Some models have a second provider, which is called
        if the first one fails.
      </p>
      <p>
        Providers don’t get your account ID, wallet, API key or IP address. OpenAI, xAI, DeepSeek and Fireworks get a random-looking ID that
        stands for your account, so that their caches are not shared between accounts. Nobody else receives prompts. If you send an image as
        a URL, the provider fetches it from there.
        {isSandbox ? " In this sandbox, models without a configured provider are simulated on this machine." : null}
      </p>
    </Section>
  );
}

const account = ({ failedRequestDays, eventDays, auditPersonalDays, closedAccountDays }: Retention) => (
  <Section id="account" title="What we store about your account">
    <FieldTable
      isPlain
      heading="Data"
      about="How long"
      rows={{
        "Wallet and deposit addresses": "Permanently. Money that arrives later is still yours.",
        "Charges, deposits, withdrawals, payments": "Permanently, for accounting: model, token counts, cost, time, key ID. No content.",
        "App and end user that a request names, as in X-Title and user":
          "Permanently, with its charge, also after you close the account: up to 64 characters of each. Send IDs instead of people’s names or email addresses.",
        "Refused and failed requests": `${failedRequestDays} days: endpoint, model, error code, time. No content.`,
        "Events and deliveries": `${eventDays} days.`,
        "Sessions: IP address and browser": `While the session is open, and ${auditPersonalDays} days after it ends.`,
        "Audit log: IP addresses, browsers, names, signed texts": `${auditPersonalDays} days. Who changed what, and when, stays.`,
        "Keys: name, allowed networks": `Until ${closedAccountDays} days after you close the account. The key itself is stored as a hash.`,
        "Email addresses and webhooks for alerts": `Until you delete them, or ${closedAccountDays} days after you close the account.`,
        "Hash of an email address that we asked to confirm": "24 hours, or 30 days after its owner declined.",
        "IP network of a new account": "24 hours, to limit sign-ups from one network.",
      }}
    />
    <p>
      An account needs no name, email address or phone number. To enforce rate limits, IP addresses are also held for minutes in memory or
      Redis. Our logs contain the IDs of requests, accounts and keys, models, token counts, status codes and timings, but no prompts,
      answers or API keys.
    </p>
  </Section>
);

function browser() {
  const usesWalletConnect = config().WALLETCONNECT_PROJECT_ID !== undefined;
  return (
    <Section id="browser" title="In your browser">
      <p>
        There are no analytics, ads or tracking cookies. Cookies only sign you in, keep you signed in and remember your theme.{" "}
        {usesWalletConnect
          ? "Pages load nothing from other hosts, except WalletConnect when you connect with it."
          : "Pages load nothing from other hosts."}
      </p>
      <p>In the API reference, “Try it” keeps your key in the memory of that tab only.</p>
    </Section>
  );
}

const deletion = ({ closedAccountDays }: Retention) => (
  <Section id="deletion" title="Deletion">
    <p>
      Personal data is deleted {closedAccountDays} days after you close your account.{" "}
      <DocLink href="/docs/account#closing">Close your account</DocLink> lists what is deleted and what is kept for accounting. Blockchains
      are public and permanent: deposits and withdrawals stay visible there.
    </p>
  </Section>
);

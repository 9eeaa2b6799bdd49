import { EmptyState } from "../../ui/empty-state";
import { PageRefresh } from "../../ui/page-refresh";

const LOOKS_EVERY_MS = 3_000;

/** In place of a contract that nobody can allow anything yet. */
export const NoOffer = ({ isComing }: { isComing: boolean }) =>
  isComing ? (
    <>
      <PageRefresh everyMs={LOOKS_EVERY_MS} />
      <EmptyState title="The payment contract is not on the chain yet">
        It is brought there when the service starts, which takes a minute. This page looks for it by itself.
      </EmptyState>
    </>
  ) : (
    <EmptyState title="Wallets cannot pay per request here">
      This service settles no signed payments on Base at the moment. Your balance pays as always.
    </EmptyState>
  );

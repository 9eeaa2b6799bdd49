import type { Metadata } from "next";
import { readSite } from "@/app/site";
import { ReservesCourse } from "@/components/site/reserves-course";
import { ReservesFiguresTable } from "@/components/site/reserves-figures";
import { ReservesPlaces } from "@/components/site/reserves-places";
import { ReservesWords } from "@/components/site/reserves-words";
import { PageRefresh } from "@/components/ui/page-refresh";
import { momentText } from "@/components/ui/text/time-text";
import { readReserves } from "@/lib/console/deposit/reserves";
import type { Reserves } from "@/lib/console/views/reserves";
import { reservesSentence } from "./reserves-sentence";

export const metadata: Metadata = {
  title: "Reserves",
  description: "The USDC we hold on Base and Solana against what we owe customers, and how to verify it.",
};

const dots = { good: "bg-green", weak: "bg-amber-ink", bad: "bg-red" };

export default async function ReservesPage() {
  const reserves = await readReserves();
  const { isSandbox } = readSite();
  const { figures, course } = reserves;
  return (
    <>
      <Heading reserves={reserves} isSandbox={isSandbox} />
      {figures ? (
        <>
          <ReservesFiguresTable figures={figures} />
          <div className="grid gap-x-12 lg:grid-cols-2">
            <ReservesPlaces places={figures.places} />
            <ReservesCourse points={course} />
          </div>
        </>
      ) : null}
      <ReservesWords isSandbox={isSandbox} />
      <PageRefresh everyMs={30_000} />
    </>
  );
}

function Heading({ reserves, isSandbox }: { reserves: Reserves; isSandbox: boolean }) {
  const { tone, text, detail } = reservesSentence(reserves);
  const { figures } = reserves;
  return (
    <>
      <p className="pt-12 text-sm text-muted">Reserves</p>
      <h1 className="mt-2 flex items-baseline gap-3 text-xl font-medium tracking-[-0.025em]">
        <span aria-hidden="true" className={`inline-block size-3 shrink-0 -translate-y-0.5 rounded-full ${dots[tone]}`} />
        <span>{text}</span>
      </h1>
      <p className="mt-3 max-w-reading text-muted">
        {detail}
        {figures ? (
          <>
            {" "}
            Last checked <time dateTime={figures.at.toISOString()}>{momentText(figures.at)}</time>.
          </>
        ) : null}
      </p>
      {isSandbox ? (
        <p className="mt-4 max-w-reading rounded border border-amber-edge bg-amber-wash px-4 py-3 text-sm text-amber-ink">
          This is a sandbox. Both chains run locally, and the money has no value.
        </p>
      ) : null}
    </>
  );
}

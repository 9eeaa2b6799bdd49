import type { Metadata } from "next";
import { StatusReport } from "@/components/site/status-report";
import { PageRefresh } from "@/components/ui/page-refresh";
import { readStatus } from "@/lib/gateway/http/status";
import { statusGroups, statusSentence } from "./status-lines";

export const metadata: Metadata = {
  title: "Status",
  description: "Current status of the API, the models and everything behind them.",
};

/** Renders even when the database is down, and says so. */
export default async function StatusPage() {
  const status = await readStatus();
  return (
    <>
      <StatusReport
        sentence={statusSentence(status)}
        groups={statusGroups(status)}
        at={status.at}
        runningSince={status.runningSince}
        auditHead={status.auditHead}
      />
      <PageRefresh everyMs={15_000} />
    </>
  );
}

import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { readSite } from "@/app/site";
import type { OperationView } from "@/components/docs/operation-view";
import { OperationPage } from "../operation-page";
import { findOperation } from "../operations";

interface PageProps {
  params: Promise<{ operation: string }>;
}

/** An unknown id is a missing page. */
const readOperation = async ({ params }: PageProps): Promise<OperationView> =>
  findOperation(readSite(), (await params).operation) ?? notFound();

export async function generateMetadata(props: PageProps): Promise<Metadata> {
  const { id, method, path, summary } = await readOperation(props);
  return {
    title: summary,
    description: `${method} ${path}: fields, response, errors and examples.`,
    alternates: { types: { "text/markdown": `/docs/api/${id}.md` } },
  };
}

export default async function OperationRoute(props: PageProps) {
  return <OperationPage operation={await readOperation(props)} />;
}

import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { ErrorCodePage } from "../error-page";
import { type ErrorPage, findErrorPage } from "../error-pages";

interface PageProps {
  params: Promise<{ code: string }>;
}

/** An unknown code is a missing page. */
async function readPage({ params }: PageProps): Promise<ErrorPage> {
  const { code } = await params;
  return findErrorPage(code) ?? notFound();
}

export async function generateMetadata(props: PageProps): Promise<Metadata> {
  const { code, status, title } = await readPage(props);
  return {
    title: code,
    description: `${status} ${code}: ${title}.`,
    alternates: { types: { "text/markdown": `/docs/errors/${code}.md` } },
  };
}

export default async function ErrorCodeRoute(props: PageProps) {
  return <ErrorCodePage page={await readPage(props)} />;
}

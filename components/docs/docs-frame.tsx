import type { Metadata } from "next";
import Link from "next/link";
import { Children, isValidElement, type ReactNode } from "react";
import { FoldSummary } from "../ui/fold-summary";
import { AgentLinks } from "./agent-links";
import { DocsNav, type NavPlace } from "./docs-nav";
import { type DocsPath, docsPageAt, docsPages } from "./docs-pages";
import { Section, type SectionProps } from "./section";

interface DocsFrameProps {
  path: DocsPath;
  /** The page itself, where it is one of several below `path`. */
  place?: NavPlace;
  /** The sections of the page, in order. */
  sections?: readonly { id: string; title: ReactNode }[];
  /** Pages that are not in the navigation have their own neighbours, or none. */
  neighbours?: Neighbours;
  /** Pages below `path` in the navigation. */
  below?: readonly NavPlace[];
  /** For wide content, such as examples beside the text. */
  isWide?: boolean;
  children: ReactNode;
}

interface Neighbours {
  previous?: NavPlace | undefined;
  next?: NavPlace | undefined;
}

/** The head of the page. */
export function docsMetadata(path: DocsPath): Metadata {
  const { title, description } = docsPageAt(path);
  return { title, description, alternates: { types: { "text/markdown": `${path}.md` } } };
}

/** A page of the docs: the navigation at the side of a desktop and in a menu on a phone, the content, and the pages before and after. */
export function DocsFrame({ path, place, sections = [], neighbours, below = [], isWide = false, children }: DocsFrameProps) {
  const here = place ?? { href: path, text: docsPageAt(path).title };
  const columns = isWide ? "" : "xl:grid xl:grid-cols-[minmax(0,1fr)_176px] xl:gap-12";
  return (
    <div className="gap-10 lg:grid lg:grid-cols-[176px_minmax(0,1fr)]">
      <DocsNav path={path} here={here} below={below} />
      <div className={`min-w-0 ${columns}`}>
        <div className={isWide ? "" : "max-w-reading"}>
          {sections.length > 0 ? <SectionsMenu sections={sections} className={isWide ? "" : "xl:hidden"} /> : null}
          <AgentLinks path={here.href} />
          <article>{children}</article>
          <Neighbouring {...(neighbours ?? neighboursOf(path))} />
        </div>
        {isWide || sections.length === 0 ? null : <SectionsAside sections={sections} />}
      </div>
    </div>
  );
}

type Sections = Required<Pick<DocsFrameProps, "sections">>["sections"];

const sectionLinks = (sections: Sections) =>
  sections.map(({ id, title }) => (
    <li key={id}>
      <a href={`#${id}`} className="block py-1 transition hover:text-ink max-xl:py-2.5">
        {title}
      </a>
    </li>
  ));

/** At the right of a wide window. */
const SectionsAside = ({ sections }: { sections: Sections }) => (
  <nav
    aria-label="On this page"
    className="sticky top-6 max-h-[calc(100dvh-48px)] self-start overflow-y-auto pt-14 text-sm text-muted max-xl:hidden"
  >
    <p className="mb-1 text-xs font-medium text-ink">On this page</p>
    <ul>{sectionLinks(sections)}</ul>
  </nav>
);

/** Above the text where there is no space beside it. */
const SectionsMenu = ({ sections, className }: { sections: Sections; className: string }) => (
  <details className={`border-b border-line text-sm text-muted ${className}`}>
    <FoldSummary className="py-2.5">On this page</FoldSummary>
    <ul className="pb-3 pl-4">{sectionLinks(sections)}</ul>
  </details>
);

function neighboursOf(path: DocsPath): Neighbours {
  const at = docsPages.findIndex((page) => page.path === path);
  const placeOf = (index: number): NavPlace | undefined => {
    const page = docsPages[index];
    return page && { href: page.path, text: page.title };
  };
  return { previous: at > 0 ? placeOf(at - 1) : undefined, next: placeOf(at + 1) };
}

const Neighbouring = ({ previous, next }: Neighbours) =>
  previous || next ? (
    <nav aria-label="Previous and next page" className="mt-16 grid gap-3 border-t border-line pt-6 text-sm sm:grid-cols-2">
      {previous ? <Neighbour place={previous} name="Previous" /> : <span className="max-sm:hidden" />}
      {next ? <Neighbour place={next} name="Next" className="sm:text-right" /> : null}
    </nav>
  ) : null;

const Neighbour = ({ place: { href, text }, name, className = "" }: { place: NavPlace; name: string; className?: string }) => (
  <Link href={href} className={`group rounded border border-line px-4 py-3 transition hover:border-edge ${className}`}>
    <span className="block text-xs text-muted">{name}</span>
    <span className="font-medium break-words underline-offset-4 group-hover:underline">{text}</span>
  </Link>
);

interface DocsArticleProps {
  path: DocsPath;
  /** Chapters, each a `Section`; others are not in the navigation. */
  children: ReactNode;
}

/** A page of the docs to be read from top to bottom. */
export function DocsArticle({ path, children }: DocsArticleProps) {
  const { title, intro } = docsPageAt(path);
  const sections = Children.toArray(children).flatMap((child) =>
    isValidElement<SectionProps>(child) && child.type === Section ? [child.props] : [],
  );
  return (
    <DocsFrame path={path} sections={sections}>
      <DocsTitle title={title} intro={intro} />
      {children}
    </DocsFrame>
  );
}

/** The title of a page, and the sentence below it. */
export const DocsTitle = ({ title, intro }: { title: string; intro?: ReactNode }) => (
  <>
    <h1 className="text-xl font-medium tracking-[-0.025em]">{title}</h1>
    {intro ? <p className="mt-2 text-muted">{intro}</p> : null}
  </>
);

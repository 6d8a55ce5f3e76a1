import type { ReactNode } from 'react'
import type { PageList } from '@amodal/plugin-pages/tokens'
import { addressOf, type Route } from '../model/route.ts'
import { PageIcon } from './page-icon.tsx'

export interface PageLinksProps {
  readonly list: PageList
  readonly route: Route
  readonly onPicked?: (() => void) | undefined
}

/** The section of pages in the rail. */
export function PageLinks({ list, route, onPicked }: PageLinksProps): ReactNode {
  const pages = list.pages.filter(({ hidden }) => !hidden)
  if (pages.length === 0) return null
  return (
    <section className="page-links" aria-labelledby="page-links-title">
      <h2 id="page-links-title">Pages</h2>
      <ul>
        {pages.map(({ name, title, description, icon, problems }) => (
          <li key={name}>
            <a
              href={addressOf({ view: 'page', name, query: '' })}
              title={description}
              aria-current={route.view === 'page' && route.name === name ? 'page' : undefined}
              onClick={onPicked}
            >
              <PageIcon name={icon} />
              <span className="title">{title}</span>
              {problems.length > 0 && (
                <small className="mark-failed" title={problems[0]?.message}>
                  broken
                </small>
              )}
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

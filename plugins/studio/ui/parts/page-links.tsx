import type { ReactNode } from 'react'
import type { PageList } from '@amodal/plugin-pages/tokens'
import { addressOf, type Route } from '../model/route.ts'
import { PageIcon } from './page-icon.tsx'

export interface PageLinksProps {
  readonly list: PageList
  readonly route: Route
  readonly onPicked?: (() => void) | undefined
}

/** The section of pages in the sidebar: those of the agent, and the generated ones of stores. */
export function PageLinks({ list, route, onPicked }: PageLinksProps): ReactNode {
  const pages = list.pages.filter(({ hidden }) => !hidden)
  // A page of the same name takes the place of the generated one.
  const entities = list.entities.filter(
    ({ store }) => !list.pages.some(({ name }) => name === store),
  )
  if (pages.length + entities.length === 0) return null
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
        {entities.map(({ store, title }) => (
          <li key={`store ${store}`} className="entity">
            <a
              href={addressOf({ view: 'store', store, query: '' })}
              title={`Documents of the store ${store}`}
              aria-current={route.view === 'store' && route.store === store ? 'page' : undefined}
              onClick={onPicked}
            >
              <PageIcon name="table" />
              <span className="title">{title}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

import type { ReactNode } from 'react'
import type { Live } from '../model/live.ts'
import type { Pages } from '../model/pages.ts'
import type { Route } from '../model/route.ts'
import type { Server } from '../model/server.ts'
import { EntityDetail, EntityList } from '../views/entity.tsx'
import { PageView } from '../views/page.tsx'
import '../styles/pages.css'

export interface PageStageProps {
  readonly server: Server
  readonly route: Extract<Route, { readonly view: 'page' | 'store' }>
  readonly live: Live
  readonly pages: Pages
}

/** A page of the agent, or a generated one of a store. */
export function PageStage({ server, route, live, pages: { list } }: PageStageProps): ReactNode {
  if (!list) return null
  if (route.view === 'page') {
    const { name, query } = route
    const page = list.pages.find((one) => one.name === name)
    return page ? (
      <PageView key={name} {...{ server, list, page, query, live }} />
    ) : (
      <p className="muted hint">There is no page "{name}".</p>
    )
  }
  const { store, key, query } = route
  const entity = list.entities.find((one) => one.store === store)
  if (!entity) return <p className="muted hint">There is no store "{store}" for you.</p>
  return key === undefined ? (
    <EntityList key={store} {...{ server, entity, live, query }} />
  ) : (
    <EntityDetail key={`${store} ${key}`} {...{ server, entity, live }} documentKey={key} />
  )
}

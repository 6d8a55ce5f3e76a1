import type { ReactNode } from 'react'
import type { Live } from '../model/live.ts'
import type { Pages } from '../model/pages.ts'
import type { Route } from '../model/route.ts'
import type { Server } from '../model/server.ts'
import { PageView } from '../views/page.tsx'

export interface PageStageProps {
  readonly server: Server
  readonly route: Extract<Route, { readonly view: 'page' }>
  readonly live: Live
  readonly pages: Pages
}

/** A page of the agent. */
export function PageStage({ server, route, live, pages: { list } }: PageStageProps): ReactNode {
  if (!list) return null
  const { name, query } = route
  const page = list.pages.find((one) => one.name === name)
  return page ? (
    <PageView key={name} {...{ server, list, page, query, live }} />
  ) : (
    <p className="muted hint">There is no page "{name}".</p>
  )
}

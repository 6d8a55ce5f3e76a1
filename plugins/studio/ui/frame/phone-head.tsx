import type { ReactNode } from 'react'
import type { Route } from '../model/route.ts'
import { Icon } from '../parts/icons.tsx'
import { Mark } from '../parts/mark.tsx'
import { STRINGS } from '../strings.ts'
import { ConnectionDot, type Connection } from './connection-dot.tsx'
import { isAt, type Place } from './places.ts'

export interface PhoneHeadProps {
  readonly places: readonly Place[]
  readonly route: Route
  readonly agent: string | undefined
  readonly connection: Connection
  readonly drawer: boolean
  /** There is a list of conversations to open. */
  readonly hasList: boolean
  readonly onMenu: () => void
  readonly onSearch: () => void
}

/** The head of a narrow screen: where one is, and the conversations behind a button. */
export function PhoneHead({
  places,
  route,
  agent,
  connection,
  drawer,
  hasList,
  onMenu,
  onSearch,
}: PhoneHeadProps): ReactNode {
  const place = places.find((one) => isAt(one, route))
  return (
    <header className="phone-head">
      {hasList ? (
        <button
          type="button"
          className="quiet"
          aria-label={STRINGS.places.sessions}
          aria-expanded={drawer}
          onClick={onMenu}
        >
          <Icon name="menu" />
        </button>
      ) : (
        <Mark />
      )}
      <h1 className="title">
        {(place?.key === 'chat' ? agent : place?.title) ?? agent ?? 'Studio'}
      </h1>
      <ConnectionDot connection={connection} />
      <button type="button" className="quiet" aria-label={STRINGS.frame.search} onClick={onSearch}>
        <Icon name="search" />
      </button>
    </header>
  )
}

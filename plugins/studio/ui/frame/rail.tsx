import { lazy, Suspense, type ReactNode } from 'react'
import type { PageList } from '@amodal/plugin-pages/tokens'
import type { Theme } from '../model/tab-storage.ts'
import { addressOf, type Route } from '../model/route.ts'
import type { Me } from '../model/server.ts'
import { Icon } from '../parts/icons.tsx'
import { Mark } from '../parts/mark.tsx'
import { STRINGS } from '../strings.ts'
import { ConnectionDot, type Connection } from './connection-dot.tsx'
import { isAt, type Place } from './places.ts'
import { THEMES } from './themes.ts'

// with the icons that pages may have
const PageLinks = lazy(async () => ({
  default: (await import('../parts/page-links.tsx')).PageLinks,
}))

export interface RailProps {
  readonly places: readonly Place[]
  readonly route: Route
  readonly agent: string | undefined
  readonly pages: PageList | undefined
  readonly me: Me
  readonly connection: Connection
  /** Things that wait for a person. */
  readonly waiting: number
  readonly theme: Theme
  readonly isCollapsed: boolean
  readonly onCollapse: (isCollapsed: boolean) => void
  readonly onTheme: (theme: Theme) => void
  /** Left out where no key was needed. */
  readonly onLeave: (() => void) | undefined
  readonly onHelp: () => void
  readonly onSearch: () => void
}

/** The places of the studio at the left of the screen; icons alone where it is collapsed. */
export function Rail(props: RailProps): ReactNode {
  const { places, route, agent, pages, waiting, isCollapsed, onCollapse, onSearch } = props
  const { frame } = STRINGS
  const collapse = isCollapsed ? frame.expand : frame.collapse
  return (
    <header className="rail" data-collapsed={isCollapsed}>
      <div className="rail-head">
        <Mark />
        <h1 title={agent}>{agent ?? 'Studio'}</h1>
        <button
          type="button"
          className="quiet"
          aria-label={collapse}
          title={collapse}
          aria-expanded={!isCollapsed}
          onClick={() => onCollapse(!isCollapsed)}
        >
          <Icon name="rail" />
        </button>
      </div>
      <button type="button" className="rail-search" title={frame.search} onClick={onSearch}>
        <Icon name="search" />
        <span>{frame.search}</span>
        <kbd aria-hidden="true">⌘K</kbd>
      </button>
      <nav aria-label={frame.places}>
        <ul>
          {places.map((place) => (
            <li key={place.key}>
              <PlaceLink {...{ place, route, waiting }} />
            </li>
          ))}
        </ul>
        <Suspense>{pages && <PageLinks list={pages} route={route} />}</Suspense>
      </nav>
      <Tools {...props} />
    </header>
  )
}

export function PlaceLink({
  place,
  route,
  waiting,
  onPicked,
}: {
  readonly place: Place
  readonly route: Route
  readonly waiting: number
  readonly onPicked?: () => void
}): ReactNode {
  return (
    <a
      href={addressOf(place.route)}
      title={place.title}
      aria-current={isAt(place, route) ? 'page' : undefined}
      onClick={onPicked}
    >
      <Icon name={place.icon} />
      <span className="title">{place.title}</span>
      {place.key === 'inbox' && waiting > 0 && (
        <b className="badge" title={`${waiting} waiting for you`}>
          {waiting}
        </b>
      )}
    </a>
  )
}

function Tools({ me, connection, theme, onTheme, onLeave, onHelp }: RailProps): ReactNode {
  const { next, icon, name } = THEMES[theme]
  const { frame } = STRINGS
  return (
    <div className="rail-tools">
      <ConnectionDot connection={connection} />
      <button
        type="button"
        className="quiet"
        aria-label={name}
        title={name}
        onClick={() => onTheme(next)}
      >
        <Icon name={icon} />
      </button>
      <button
        type="button"
        className="quiet"
        aria-label={frame.shortcuts}
        title={`${frame.shortcuts} (?)`}
        onClick={onHelp}
      >
        <Icon name="question" />
      </button>
      {onLeave && (
        <button
          type="button"
          className="quiet"
          title={`${me.name ?? me.id}: ${frame.forgetKey}`}
          aria-label={frame.forgetKey}
          onClick={onLeave}
        >
          <Icon name="key" />
        </button>
      )}
    </div>
  )
}

import { lazy, Suspense, useEffect, useState, type ReactNode } from 'react'
import type { PageList } from '@amodal/plugin-pages/tokens'
import type { Route } from '../model/route.ts'
import type { Theme } from '../model/tab-storage.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Icon } from '../parts/icons.tsx'
import { STRINGS } from '../strings.ts'
import { isAt, type Place } from './places.ts'
import { PlaceLink } from './rail.tsx'
import { THEMES } from './themes.ts'

// with the icons that pages may have
const PageLinks = lazy(async () => ({
  default: (await import('../parts/page-links.tsx')).PageLinks,
}))

export interface BottomBarProps {
  readonly places: readonly Place[]
  readonly route: Route
  readonly pages: PageList | undefined
  readonly waiting: number
  readonly theme: Theme
  readonly onTheme: (theme: Theme) => void
  readonly onLeave: (() => void) | undefined
}

/** Places that a phone shows; the others stand behind More. */
const SHOWN = 3

/** The bar at the bottom of a narrow screen. */
export function BottomBar(props: BottomBarProps): ReactNode {
  const { places, route, waiting } = props
  const [isOpen, setOpen] = useState(false)
  const shown = places.slice(0, SHOWN)
  const others = places.slice(SHOWN)
  useEffect(() => setOpen(false), [route])
  const isElsewhere = !shown.some((place) => isAt(place, route))
  return (
    <nav className="bottom-bar" aria-label={STRINGS.frame.places}>
      {shown.map((place) => (
        <PlaceLink key={place.key} {...{ place, route, waiting }} />
      ))}
      <button
        type="button"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        data-current={isElsewhere}
        onClick={() => setOpen(true)}
      >
        <Icon name="more" />
        <span className="title">{STRINGS.places.more}</span>
      </button>
      {isOpen && <MoreSheet {...props} places={others} onClose={() => setOpen(false)} />}
    </nav>
  )
}

function MoreSheet({
  places,
  route,
  pages,
  waiting,
  theme,
  onTheme,
  onLeave,
  onClose,
}: BottomBarProps & { readonly onClose: () => void }): ReactNode {
  const { next, icon, name } = THEMES[theme]
  return (
    <Dialog className="more-sheet" label={STRINGS.places.more} onClose={onClose}>
      <ul>
        {places.map((place) => (
          <li key={place.key}>
            <PlaceLink {...{ place, route, waiting }} onPicked={onClose} />
          </li>
        ))}
      </ul>
      <Suspense>{pages && <PageLinks list={pages} route={route} onPicked={onClose} />}</Suspense>
      <div className="sheet-tools">
        <button type="button" className="quiet" onClick={() => onTheme(next)}>
          <Icon name={icon} />
          {name}
        </button>
        {onLeave && (
          <button type="button" className="quiet" onClick={onLeave}>
            <Icon name="key" />
            {STRINGS.frame.forgetKey}
          </button>
        )}
      </div>
    </Dialog>
  )
}

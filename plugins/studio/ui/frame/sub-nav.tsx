import { useEffect, useRef, type ReactNode } from 'react'
import { addressOf, type Route } from '../model/route.ts'

/** Views of one place, above them. */
export function SubNav({
  label,
  tabs,
  route,
}: {
  readonly label: string
  readonly tabs: readonly (readonly [title: string, route: Route])[]
  readonly route: Route
}): ReactNode {
  const nav = useRef<HTMLElement>(null)
  // On a phone they are wider than the screen.
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [route.view])
  return (
    <nav className="sub-nav" aria-label={label} ref={nav}>
      {tabs.map(([title, to]) => (
        <a
          key={title}
          href={addressOf(to)}
          aria-current={to.view === route.view ? 'page' : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
  )
}

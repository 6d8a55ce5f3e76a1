import type { ReactNode } from 'react'
import type { Theme } from '../model/tab-storage.ts'
import type { Live } from '../model/live.ts'
import { addressOf, type Route } from '../model/route.ts'
import type { Me, PluginView } from '../model/server.ts'
import { Icon, type IconName } from './icons.tsx'

export interface TopBarProps {
  readonly route: Route
  readonly agent: string | undefined
  /** The view of the admin agent; left out where the server has none. */
  readonly configure: Extract<Route, { readonly view: 'configure' }> | undefined
  /** Views of other plugins. */
  readonly more: readonly PluginView[]
  readonly me: Me
  readonly dot: Dot
  /** Sessions that wait for a person. */
  readonly waiting: number
  readonly theme: Theme
  readonly drawer: boolean
  readonly onTheme: (theme: Theme) => void
  /** Left out where no key was asked for. */
  readonly onLeave: (() => void) | undefined
  readonly onMenu: () => void
  readonly onHelp: () => void
}

const VIEWS: readonly (readonly [
  view: Exclude<Route['view'], 'configure' | 'more' | 'page' | 'store'>,
  name: string,
  icon: IconName,
])[] = [
  ['chat', 'Chat', 'chat'],
  ['activity', 'Activity', 'activity'],
  ['context', 'Context', 'context'],
  ['plugins', 'Plugins', 'plugins'],
]
const THEMES: Readonly<
  Record<Theme, { readonly next: Theme; readonly icon: IconName; readonly name: string }>
> = {
  system: { next: 'light', icon: 'system', name: 'as the system' },
  light: { next: 'dark', icon: 'sun', name: 'light' },
  dark: { next: 'system', icon: 'moon', name: 'dark' },
}
/** How the server fares: how it is heard, or that something of it is broken, or that it is away. */
export type Dot = Live['state'] | 'broken' | 'lost'

const DOTS: Readonly<Record<Dot, string>> = {
  live: 'Live: changes are shown as they happen',
  connecting: 'Connecting…',
  off: 'Changes are not heard with this key',
  broken: 'Something of the agent is broken',
  lost: 'The server is away',
}

export function TopBar({
  route,
  agent,
  configure,
  more,
  me,
  dot,
  waiting,
  theme,
  drawer,
  onTheme,
  onLeave,
  onMenu,
  onHelp,
}: TopBarProps): ReactNode {
  const { next, icon, name } = THEMES[theme]
  return (
    <header className="top">
      <button
        type="button"
        className="quiet menu"
        aria-label="Sessions"
        aria-expanded={drawer}
        onClick={onMenu}
      >
        <Icon name="menu" />
        {waiting > 0 && <b className="badge">{waiting}</b>}
      </button>
      <h1>
        <span className="mark" aria-hidden="true" />
        {agent ?? 'Studio'}
      </h1>
      <nav className="views" aria-label="Views">
        {VIEWS.map(([view, title, sign]) => (
          <a
            key={view}
            href={addressOf(
              view === 'chat'
                ? { view, session: route.view === 'chat' ? route.session : undefined }
                : { view },
            )}
            aria-current={route.view === view ? 'page' : undefined}
          >
            <Icon name={sign} />
            <span>{title}</span>
            {view === 'chat' && waiting > 0 && (
              <b className="badge" title={`${waiting} waiting for you`}>
                {waiting}
              </b>
            )}
          </a>
        ))}
        {configure && (
          <a
            href={addressOf(configure)}
            aria-current={route.view === 'configure' ? 'page' : undefined}
          >
            <Icon name="configure" />
            <span>Configure</span>
          </a>
        )}
        {more.map(({ key, title }) => (
          <a
            key={key}
            href={addressOf({ view: 'more', key, query: '' })}
            aria-current={route.view === 'more' && route.key === key ? 'page' : undefined}
          >
            <Icon name="plugins" />
            <span>{title}</span>
          </a>
        ))}
      </nav>
      <span className={`live ${dot}`} role="img" aria-label={DOTS[dot]} title={DOTS[dot]} />
      <button
        type="button"
        className="quiet"
        aria-label={`Theme: ${name}`}
        title={`Theme: ${name}`}
        onClick={() => onTheme(next)}
      >
        <Icon name={icon} />
      </button>
      <button
        type="button"
        className="quiet help-button"
        aria-label="Keys"
        title="Keys (?)"
        onClick={onHelp}
      >
        <Icon name="question" />
      </button>
      {onLeave && (
        <button
          type="button"
          className="quiet"
          title={`${me.name ?? me.id}: forget the key`}
          aria-label="Forget the key"
          onClick={onLeave}
        >
          <Icon name="key" />
        </button>
      )}
    </header>
  )
}

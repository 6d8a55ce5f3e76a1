import {
  lazy,
  Suspense,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  type ReactNode,
  type RefObject,
} from 'react'
import { useAdmin } from '../model/use-admin.ts'
import { useConversation } from '../model/use-conversation.ts'
import { useHealth } from '../model/health.ts'
import { useKeys } from '../model/keys.ts'
import { useLive } from '../model/live.ts'
import { usePages } from '../model/pages.ts'
import { go, useRoute } from '../model/route.ts'
import type { LiveEvent, Me, PluginView, Server } from '../model/server.ts'
import { useSessions } from '../model/sessions.ts'
import { useStoreLetters, withLetters } from '../model/use-store-letters.ts'
import { tabStorage, type Theme } from '../model/tab-storage.ts'
import { Notices } from '../parts/notices.tsx'
import { Sidebar } from '../parts/sidebar.tsx'
import { STRINGS } from '../strings.ts'
import { BottomBar } from './bottom-bar.tsx'
import { PhoneHead } from './phone-head.tsx'
import { placesFor } from './places.ts'
import { Rail } from './rail.tsx'
import { Stage } from './stage.tsx'
import { THEMES } from './themes.ts'

const Palette = lazy(() => import('./palette.tsx'))
const Shortcuts = lazy(async () => ({
  default: (await import('../parts/shortcuts.tsx')).Shortcuts,
}))

export interface StudioProps {
  readonly server: Server
  readonly me: Me
  readonly theme: Theme
  readonly onTheme: (theme: Theme) => void
  /** Left out where no key was needed. */
  readonly onLeave: (() => void) | undefined
  readonly onStranger: (problem: string) => void
}

/** The frame: places at the left, or at the bottom of a phone, and what is looked at. */
export function Studio({
  server,
  me,
  theme,
  onTheme,
  onLeave,
  onStranger,
}: StudioProps): ReactNode {
  const field = useRef<HTMLTextAreaElement>(null)
  const [drawer, setDrawer] = useState(false)
  const [dialog, setDialog] = useState<'keys' | 'palette'>()
  const [isCollapsed, setCollapsed] = useState(tabStorage.isRailCollapsed)
  const state = useStudio(server, onStranger)
  const { route, sessions, pages, live, health, isLost, agent, views, chat, admin } = state
  const { hasUsage, stores, waiting } = state
  const hasStores = stores.length > 0
  const adminSession = state.configuring.conversation.session
  const places = useMemo(
    () =>
      placesFor({
        views,
        isConfigurable: admin.isOffered === true,
        hasStores,
        hasUsage,
        session: route.view === 'chat' ? route.session : chat.conversation.session,
        adminSession,
      }),
    [
      ...[views, admin.isOffered, hasStores, hasUsage],
      ...[route, chat.conversation.session, adminSession],
    ],
  )
  useEffect(() => setDrawer(false), [route])
  const { conversation } = state
  useKeys({
    field,
    rows: sessions.rows,
    current: route.view === 'chat' ? route.session : undefined,
    places,
    isBlocked: dialog !== undefined,
    onHelp: () => setDialog('keys'),
    onPalette: () => setDialog('palette'),
    onEscape: () => {
      if (drawer) setDrawer(false)
      else if (
        conversation.snapshot.state === 'running' ||
        conversation.snapshot.state === 'waiting'
      )
        void conversation.cancel()
    },
  })
  const collapse = (collapsed: boolean): void => {
    tabStorage.storeRailCollapsed(collapsed)
    setCollapsed(collapsed)
  }
  const reachable = health.problems.length > 0 ? ('broken' as const) : live.state
  const hasList = route.view === 'chat'
  const shared = { route, places, theme, onTheme, onLeave, pages: pages.list }
  const onHelp = (): void => setDialog('keys')
  const onSearch = (): void => setDialog('palette')
  return (
    <div className="shell" data-drawer={drawer} data-list={hasList} data-collapsed={isCollapsed}>
      <SkipLink field={field} hasField={hasList || route.view === 'configure'} />
      <Rail
        {...{ ...shared, me, waiting, isCollapsed, onHelp, onSearch }}
        agent={agent?.name ?? undefined}
        connection={isLost ? 'lost' : reachable}
        onCollapse={collapse}
      />
      <PhoneHead
        {...{ places, route, drawer, hasList, onSearch }}
        agent={agent?.name ?? undefined}
        connection={isLost ? 'lost' : reachable}
        onMenu={() => setDrawer(!drawer)}
      />
      {hasList && (
        <Sidebar sessions={sessions} current={route.session} onPicked={() => setDrawer(false)} />
      )}
      <div className="shade" onClick={() => setDrawer(false)} />
      <main id="main" tabIndex={-1}>
        <Notices isLost={isLost} problems={health.problems} />
        <Stage {...state} {...{ server, me, field }} />
      </main>
      <BottomBar {...shared} waiting={waiting} />
      <Suspense>
        {dialog === 'keys' && <Shortcuts onClose={() => setDialog(undefined)} />}
        {dialog === 'palette' && (
          <Palette
            {...{ places, pages: pages.list }}
            sessions={sessions.rows}
            actions={actionsFor(theme, onTheme, onHelp)}
            onClose={() => setDialog(undefined)}
          />
        )}
      </Suspense>
    </div>
  )
}

/** Where the keyboard goes first: past the places. */
function SkipLink({
  field,
  hasField,
}: {
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly hasField: boolean
}): ReactNode {
  return (
    <a
      className="skip"
      href="#main"
      onClick={(event) => {
        event.preventDefault()
        if (hasField) field.current?.focus()
        else document.getElementById('main')?.focus()
      }}
    >
      {hasField ? STRINGS.frame.skip : STRINGS.frame.skipToContent}
    </a>
  )
}

const actionsFor = (
  theme: Theme,
  onTheme: (theme: Theme) => void,
  onHelp: () => void,
): Parameters<typeof Palette>[0]['actions'] => [
  {
    title: STRINGS.palette.newChat,
    icon: 'plus',
    run: () => go({ view: 'chat', session: undefined }),
  },
  { title: STRINGS.palette.theme, icon: 'sun', run: () => onTheme(THEMES[theme].next) },
  { title: STRINGS.palette.shortcuts, icon: 'question', run: onHelp },
]

/** What every view shares, kept up to date by the server's events. */
function useStudio(server: Server, onStranger: (problem: string) => void) {
  const route = useRoute()
  const sessions = useSessions(server)
  const { agent, views } = useAgent(server)
  const hasUsage = useHasUsage(server)
  const chat = useConversation(server, 'chat', route, onStranger)
  const admin = useAdmin(server)
  const configuring = useConversation(admin.server, 'configure', route, onStranger)
  const { conversation } = route.view === 'configure' ? configuring : chat

  const isLost = useSyncExternalStore(server.reach.subscribe, () => server.reach.isLost)
  const health = useHealth(server, isLost)
  const wasLost = useRef(false)
  useEffect(() => {
    if (wasLost.current && !isLost) sessions.refresh()
    wasLost.current = isLost
  }, [isLost, sessions.refresh])

  const onEvent = useCallback(
    (event: LiveEvent) => {
      if (event.type === 'files_changed' || event.type === 'manifest_changed') health.refresh()
      if (event.type.startsWith('session_')) sessions.refresh()
      if (event.type === 'session_updated' && event['sessionId'] === conversation.session)
        void conversation.refresh()
    },
    [sessions.refresh, health.refresh, conversation],
  )
  const live = useLive(server, onEvent)
  const pages = usePages(server, live)
  const stores = useStoreLetters(server, live, route.view === 'inbox')
  const waiting = sessions.waiting + withLetters(stores).length
  useEffect(() => {
    const count = waiting > 0 ? `(${waiting}) ` : ''
    document.title = `${count}${agent?.name ? `${agent.name} · ` : ''}Studio`
  }, [agent, waiting])
  return {
    ...{ route, sessions, agent, views, chat, admin, configuring, conversation },
    ...{ isLost, health, live, pages, stores, waiting, hasUsage },
  }
}

/** Whether the server counts what runs cost, and this person may see it. */
function useHasUsage(server: Server): boolean {
  const [hasUsage, setHasUsage] = useState(false)
  useEffect(() => {
    // Of a time in which nothing ended, so that nothing is summed.
    server.request('/api/usage?from=2000-01-01&to=2000-01-02').then(
      ({ ok }) => setHasUsage(ok),
      () => undefined,
    )
  }, [server])
  return hasUsage
}

/** What the agent is called, and which views its plugins have for this person. */
function useAgent(server: Server) {
  const [agent, setAgent] = useState<Awaited<ReturnType<Server['agent']>>>()
  const [views, setViews] = useState<readonly PluginView[]>([])
  useEffect(() => {
    // this key has no access; the page works without it
    server.agent().then(setAgent, () => undefined)
    server.views().then(setViews, () => undefined)
  }, [server])
  return { agent, views }
}

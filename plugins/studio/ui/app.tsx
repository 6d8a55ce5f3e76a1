import {
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from 'react'
import { useAdmin } from './model/use-admin.ts'
import { useConversation } from './model/use-conversation.ts'
import { tabStorage } from './model/tab-storage.ts'
import { useHealth } from './model/health.ts'
import { useLive, type Live } from './model/live.ts'
import { usePages, type Pages } from './model/pages.ts'
import { useRoute, type Route } from './model/route.ts'
import {
  isUnauthorized,
  problemOf,
  serverFor,
  type LiveEvent,
  type Me,
  type PluginView,
  type Server,
  type Credentials,
} from './model/server.ts'
import { useSessions } from './model/sessions.ts'
import { useTheme } from './model/theme.ts'
import { Notices } from './parts/notices.tsx'
import { Shortcuts } from './parts/shortcuts.tsx'
import { Sidebar } from './parts/sidebar.tsx'
import { TopBar } from './parts/top-bar.tsx'
import { useKeys } from './model/keys.ts'
import { Activity } from './views/activity.tsx'
import { Chat } from './views/chat.tsx'
import { Configure } from './views/configure.tsx'
import { Context } from './views/context.tsx'
import { SignIn } from './views/sign-in.tsx'
import { More } from './views/more.tsx'
import { EntityDetail, EntityList } from './views/entity.tsx'
import { PageView } from './views/page.tsx'
import { Plugins } from './views/plugins.tsx'

type Admission =
  | { readonly state: 'asking' }
  | { readonly state: 'stranger'; readonly problem?: string }
  | { readonly state: 'in'; readonly me: Me }
  | { readonly state: 'away'; readonly problem: string }

/** Checks whether the server requires a credential, and asks for one if it does. */
export function App(): ReactNode {
  const [who, setWho] = useState(tabStorage.who)
  const [admission, setAdmission] = useState<Admission>({ state: 'asking' })
  const [theme, setTheme] = useTheme()
  const server = useMemo(() => serverFor(who), [who])

  const knock = useCallback(async () => {
    try {
      setAdmission({ state: 'in', me: await server.me() })
    } catch (cause) {
      setAdmission(
        isUnauthorized(cause)
          ? { state: 'stranger', ...(who && { problem: 'The server does not accept this key.' }) }
          : { state: 'away', problem: problemOf(cause) },
      )
    }
  }, [server, who])
  useEffect(() => void knock(), [knock])
  const isAway = admission.state === 'away'
  useEffect(() => {
    if (!isAway) return
    const leave = new AbortController()
    server.reach.back(leave.signal).then(knock, () => undefined) // a newer attempt is running
    return () => leave.abort()
  }, [isAway, server, knock])

  const enter = (given: Credentials | undefined): void => {
    tabStorage.storeCredentials(given)
    setWho(given)
  }
  switch (admission.state) {
    case 'asking':
      return null
    case 'away':
      return (
        <main className="door">
          <p className="note error" role="alert">
            {admission.problem}
          </p>
          <button type="button" className="primary" onClick={() => void knock()}>
            Try again
          </button>
        </main>
      )
    case 'stranger':
      return <SignIn problem={admission.problem} onEnter={enter} />
    case 'in': {
      const left = (problem: string): void => setAdmission({ state: 'stranger', problem })
      return (
        <Studio
          server={server}
          me={admission.me}
          theme={theme}
          onTheme={setTheme}
          onLeave={who && (() => enter(undefined))}
          onStranger={left}
        />
      )
    }
    default:
      return admission satisfies never
  }
}

interface StudioProps {
  readonly server: Server
  readonly me: Me
  readonly theme: ReturnType<typeof useTheme>[0]
  readonly onTheme: ReturnType<typeof useTheme>[1]
  readonly onLeave: (() => void) | undefined
  readonly onStranger: (problem: string) => void
}

function Studio({ server, me, theme, onTheme, onLeave, onStranger }: StudioProps): ReactNode {
  const route = useRoute()
  const sessions = useSessions(server)
  const [agent, setAgent] = useState<Awaited<ReturnType<Server['agent']>>>()
  const [views, setViews] = useState<readonly PluginView[]>([])
  const [drawer, setDrawer] = useState(false)
  const [help, setHelp] = useState(false)
  const titles = useMemo(
    () => new Map(sessions.rows.map(({ id, title }) => [id, title])),
    [sessions.rows],
  )
  const field = useRef<HTMLTextAreaElement>(null)
  const { conversation: chat, number } = useConversation(server, 'chat', route, onStranger)
  const admin = useAdmin(server)
  const isConfigure = route.view === 'configure'
  const configuring = useConversation(admin.server, 'configure', route, onStranger)
  const conversation = isConfigure ? configuring.conversation : chat

  const isLost = useSyncExternalStore(server.reach.subscribe, () => server.reach.isLost)
  const health = useHealth(server, isLost)
  const wasLost = useRef(false)
  useEffect(() => {
    if (wasLost.current && !isLost) sessions.refresh()
    wasLost.current = isLost
  }, [isLost, sessions.refresh])

  const heard = useCallback(
    (event: LiveEvent) => {
      if (event.type === 'files_changed' || event.type === 'manifest_changed') health.refresh()
      if (event.type.startsWith('session_')) sessions.refresh()
      if (event.type === 'session_updated' && event['sessionId'] === conversation.session)
        void conversation.refresh()
    },
    [sessions.refresh, health.refresh, conversation],
  )
  const live = useLive(server, heard)

  const pages = usePages(server, live)

  useEffect(() => {
    // this key has no access; the page works without it
    server.agent().then(setAgent, () => undefined)
    server.views().then(setViews, () => undefined)
  }, [server])
  useEffect(() => {
    document.title = `${sessions.waiting > 0 ? `(${sessions.waiting}) ` : ''}${agent?.name ? `${agent.name} · ` : ''}Studio`
  }, [agent, sessions.waiting])
  const more = route.view === 'more' ? views.find(({ key }) => key === route.key) : undefined
  const query = route.view === 'more' ? route.query : ''
  const shownSession = route.view === 'chat' ? route.session : undefined
  const shownPage = route.view === 'page' ? route.name : undefined
  useEffect(() => setDrawer(false), [route.view, shownSession, shownPage])
  useKeys({
    field,
    rows: sessions.rows,
    current: route.view === 'chat' ? route.session : undefined,
    isBlocked: help,
    onHelp: () => setHelp(true),
    onEscape: () => {
      if (drawer) setDrawer(false)
      else if (conversation.shown.state === 'running' || conversation.shown.state === 'waiting')
        void conversation.cancel()
    },
  })

  const reachableDot = health.problems.length > 0 ? 'broken' : live.state
  return (
    <div className="shell" data-drawer={drawer}>
      <a
        className="skip"
        href="#message"
        onClick={(event) => {
          event.preventDefault()
          field.current?.focus()
        }}
      >
        To the message field
      </a>
      <TopBar
        route={route}
        agent={agent?.name ?? undefined}
        configure={
          admin.isOffered
            ? {
                view: 'configure',
                session: isConfigure ? route.session : configuring.conversation.session,
              }
            : undefined
        }
        more={views}
        me={me}
        dot={isLost ? 'lost' : reachableDot}
        waiting={sessions.waiting}
        theme={theme}
        drawer={drawer}
        onTheme={onTheme}
        onLeave={onLeave}
        onMenu={() => setDrawer(!drawer)}
        onHelp={() => setHelp(true)}
      />
      <Sidebar
        sessions={sessions}
        current={route.view === 'chat' ? route.session : undefined}
        pages={pages.list}
        route={route}
        onPicked={() => setDrawer(false)}
      />
      <div className="shade" onClick={() => setDrawer(false)} />
      <main id="main">
        <Notices isLost={isLost} problems={health.problems} />
        <div className="stage">
          {route.view === 'chat' && (
            <Chat
              key={number}
              server={server}
              me={me}
              conversation={chat}
              agent={agent}
              field={field}
            />
          )}
          {isConfigure && admin.isOffered === true && (
            <Configure
              key={configuring.number}
              {...{ me, live, field }}
              admin={admin.admin}
              conversation={configuring.conversation}
            />
          )}
          {isConfigure && admin.isOffered === false && (
            <p className="muted hint">
              This server has no admin agent for you. It is there where <code>amodal dev</code> runs
              on your own machine.
            </p>
          )}
          {route.view === 'activity' && <Activity live={live} titles={titles} />}
          {route.view === 'context' && <Context server={server} session={chat.session} />}
          {route.view === 'plugins' && <Plugins server={server} />}
          <PageStage {...{ server, route, live, pages }} />
          {more && <More key={`${more.key}?${query}`} {...{ server, query, live }} view={more} />}
        </div>
      </main>
      {help && <Shortcuts onClose={() => setHelp(false)} />}
    </div>
  )
}

/** A page of the agent, or a generated one of a store. */
function PageStage({
  server,
  route,
  live,
  pages: { list },
}: {
  readonly server: Server
  readonly route: Route
  readonly live: Live
  readonly pages: Pages
}): ReactNode {
  if (!list || (route.view !== 'page' && route.view !== 'store')) return null
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

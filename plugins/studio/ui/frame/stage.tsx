import { lazy, Suspense, type ReactNode, type RefObject } from 'react'
import type { Opened } from '../model/use-conversation.ts'
import type { useAdmin } from '../model/use-admin.ts'
import type { Live } from '../model/live.ts'
import type { Pages } from '../model/pages.ts'
import type { Route } from '../model/route.ts'
import type { Me, PluginView, Server, StoreLetters } from '../model/server.ts'
import type { Sessions } from '../model/sessions.ts'
import { Skeleton } from '../parts/skeleton.tsx'
import { Chat } from '../views/chat.tsx'
import { STRINGS } from '../strings.ts'
import { AGENT_VIEWS, agentTabs, SYSTEM_VIEWS } from './places.ts'
import { SubNav } from './sub-nav.tsx'
import { SystemNav } from './system-nav.tsx'

const Access = lazy(async () => ({ default: (await import('../views/access.tsx')).Access }))
const Activity = lazy(async () => ({ default: (await import('../views/activity.tsx')).Activity }))
const Configure = lazy(async () => ({
  default: (await import('../views/configure.tsx')).Configure,
}))
const Connections = lazy(async () => ({
  default: (await import('../views/connections.tsx')).Connections,
}))
const Context = lazy(async () => ({ default: (await import('../views/context.tsx')).Context }))
const Audit = lazy(async () => ({ default: (await import('../views/audit.tsx')).Audit }))
const Documents = lazy(async () => ({
  default: (await import('../views/documents.tsx')).Documents,
}))
const Inbox = lazy(async () => ({ default: (await import('../views/inbox.tsx')).Inbox }))
const Logs = lazy(async () => ({ default: (await import('../views/logs.tsx')).Logs }))
const More = lazy(async () => ({ default: (await import('../views/more.tsx')).More }))
const PageStage = lazy(async () => ({ default: (await import('./page-stage.tsx')).PageStage }))
const Queue = lazy(async () => ({ default: (await import('../views/queue.tsx')).Queue }))
const Run = lazy(async () => ({ default: (await import('../views/run.tsx')).Run }))
const Runs = lazy(async () => ({ default: (await import('../views/runs.tsx')).Runs }))
const Session = lazy(async () => ({ default: (await import('../views/session.tsx')).Session }))
const SessionTable = lazy(async () => ({
  default: (await import('../views/session-table.tsx')).SessionTable,
}))
const Stores = lazy(async () => ({ default: (await import('../views/stores.tsx')).Stores }))
const System = lazy(async () => ({ default: (await import('../views/system.tsx')).System }))
const Usage = lazy(async () => ({ default: (await import('../views/usage.tsx')).Usage }))
const Plugins = lazy(async () => ({ default: (await import('../views/plugins.tsx')).Plugins }))

export interface StageProps {
  readonly server: Server
  readonly me: Me
  readonly route: Route
  readonly live: Live
  readonly pages: Pages
  readonly sessions: Sessions
  readonly stores: readonly StoreLetters[]
  readonly views: readonly PluginView[]
  readonly agent: { readonly name: string | null; readonly description: string | null } | undefined
  readonly chat: Opened
  readonly configuring: Opened
  readonly admin: ReturnType<typeof useAdmin>
  readonly field: RefObject<HTMLTextAreaElement | null>
}

/** What is looked at. Every view but the chat is loaded when it is opened for the first time. */
export function Stage(props: StageProps): ReactNode {
  const { route, admin, configuring } = props
  const isOfAgent = AGENT_VIEWS.includes(route.view)
  const isOfSystem = SYSTEM_VIEWS.includes(route.view)
  return (
    <>
      {isOfAgent && (
        <SubNav
          label={STRINGS.places.agent}
          tabs={agentTabs(admin.isOffered === true, configuring.conversation.session)}
          route={route}
        />
      )}
      {isOfSystem && <SystemNav server={props.server} route={route} />}
      <div className="stage">
        <Suspense fallback={<Skeleton />}>
          <View {...props} />
        </Suspense>
      </div>
    </>
  )
}

function View(props: StageProps): ReactNode {
  const { server, me, route, live, pages, sessions, stores, views, agent, chat, field } = props
  switch (route.view) {
    case 'chat':
      return (
        <Chat
          key={chat.number}
          {...{ server, me, agent, field }}
          conversation={chat.conversation}
        />
      )
    case 'configure':
      return <ConfigureView {...props} />
    case 'inbox':
      return <Inbox {...{ server, me, sessions, live, stores }} session={route.session} />
    case 'activity':
      return <Activity live={live} titles={titlesOf(sessions)} />
    case 'audit':
      return <Audit server={server} query={route.query} />
    case 'queue':
      return <Queue server={server} />
    case 'logs':
      return <Logs server={server} query={route.query} />
    case 'context':
      return <Context server={server} session={chat.conversation.session} />
    case 'access':
      return <Access key={route.query} server={server} query={route.query} />
    case 'connections':
      return <Connections {...{ server, me }} name={route.name} />
    case 'skills':
    case 'knowledge':
      return (
        <Documents
          key={route.view}
          {...{ server, me, live, sessions }}
          kind={route.view}
          name={route.name}
          isEditable={props.admin.isOffered === true}
        />
      )
    case 'plugins':
      return <Plugins server={server} />
    case 'runs':
      return <Runs {...{ server, me, live }} query={route.query} />
    case 'run':
      return <Run key={route.id} {...{ server, me, live }} id={route.id} query={route.query} />
    case 'sessions':
      return <SessionTable {...{ server, live }} query={route.query} />
    case 'session':
      return <Session key={route.id} {...{ server, me, live, route }} />
    case 'system':
      return <System server={server} />
    case 'usage':
      return <Usage {...{ server, live }} query={route.query} />
    case 'stores':
    case 'store':
      return <Stores {...{ server, route, live }} />
    case 'page':
      return <PageStage {...{ server, route, live, pages }} />
    case 'more': {
      const view = views.find(({ key }) => key === route.key)
      const { query } = route
      return view && 'route' in view ? (
        <More key={`${view.key}?${query}`} {...{ server, query, live, view }} />
      ) : null
    }
    default:
      return route satisfies never
  }
}

function ConfigureView({ admin, configuring, me, live, field, route }: StageProps): ReactNode {
  if (admin.isOffered === undefined) return <Skeleton />
  return admin.isOffered ? (
    <Configure
      key={configuring.number}
      {...{ me, live, field }}
      admin={admin.admin}
      conversation={configuring.conversation}
      file={route.view === 'configure' ? route.file : undefined}
    />
  ) : (
    <p className="muted hint">{STRINGS.frame.noAdmin}</p>
  )
}

const titlesOf = ({ rows }: Sessions): ReadonlyMap<string, string> =>
  new Map(rows.map(({ id, title }) => [id, title]))

import type { Route } from '../model/route.ts'
import type { PluginView } from '../model/server.ts'
import { iconNamed, type IconName } from '../parts/icons.tsx'
import { STRINGS } from '../strings.ts'

/** An entry of the rail. */
export interface Place {
  readonly key: string
  readonly title: string
  readonly icon: IconName
  /** Where it leads. */
  readonly route: Route
  /** Views that belong to it, beside that of `route`. */
  readonly also?: readonly Route['view'][]
}

export interface PlacesOptions {
  /** Views of other plugins that this person may see. */
  readonly views: readonly PluginView[]
  /** The admin agent answers this person. */
  readonly isConfigurable: boolean
  /** There are stores that this person may read. */
  readonly hasStores: boolean
  /** The server counts what runs cost, and this person may see it. */
  readonly hasUsage: boolean
  /** The conversation that Chat opens; `undefined` for a new one. */
  readonly session: string | undefined
  /** The one with the admin agent. */
  readonly adminSession: string | undefined
}

/** Views of plugins that stand before the others, by their keys. */
const FIRST = ['automations', 'agent-runs', 'evals', 'experiments', 'feedback']
const orderOf = ({ key }: PluginView): number =>
  FIRST.includes(key) ? FIRST.indexOf(key) : FIRST.length

const STORES: Place = {
  key: 'stores',
  title: STRINGS.places.stores,
  icon: 'stores',
  route: { view: 'stores' },
  also: ['store'],
}

function placeOf(view: PluginView): Place {
  const shown = { title: view.title, icon: iconNamed(view.icon) }
  return 'built_in' in view
    ? { ...shown, key: view.built_in, route: { view: view.built_in, query: '' }, also: ['run'] }
    : { ...shown, key: `more ${view.key}`, route: { view: 'more', key: view.key, query: '' } }
}

/** The places of the studio for one person, in the order of the rail. */
export function placesFor({
  views,
  isConfigurable,
  hasStores,
  hasUsage,
  session,
  adminSession,
}: PlacesOptions): readonly Place[] {
  const { places } = STRINGS
  const plugins = views.toSorted((a, b) => orderOf(a) - orderOf(b)).map(placeOf)
  return [
    { key: 'chat', title: places.chat, icon: 'chat', route: { view: 'chat', session } },
    {
      key: 'inbox',
      title: places.inbox,
      icon: 'inbox',
      route: { view: 'inbox', session: undefined },
    },
    {
      key: 'sessions',
      title: places.sessions,
      icon: 'sessions',
      route: { view: 'sessions', query: '' },
      also: ['session'],
    },
    ...plugins,
    ...(hasStores ? [STORES] : []),
    {
      key: 'agent',
      title: places.agent,
      icon: 'agent',
      route: isConfigurable ? { view: 'configure', session: adminSession } : { view: 'context' },
      also: AGENT_VIEWS,
    },
    ...(hasUsage ? [usagePlace()] : []),
    {
      key: 'system',
      title: places.system,
      icon: 'system',
      route: { view: 'system' },
      also: SYSTEM_VIEWS,
    },
  ]
}

const usagePlace = (): Place => ({
  key: 'usage',
  title: STRINGS.places.usage,
  icon: 'usage',
  route: { view: 'usage', query: '' },
})

/** Whether what is shown belongs to this place. */
export function isAt({ route: home, also = [] }: Place, route: Route): boolean {
  if (also.includes(route.view)) return true
  if (home.view !== route.view) return false
  return home.view !== 'more' || (route.view === 'more' && home.key === route.key)
}

/** Views of the place Agent. */
export const AGENT_VIEWS: readonly Route['view'][] = [
  'configure',
  'context',
  'skills',
  'knowledge',
  'connections',
  'access',
  'plugins',
]

/** The same as tabs above them. */
export function agentTabs(
  isConfigurable: boolean,
  adminSession: string | undefined,
): readonly (readonly [string, Route])[] {
  const { agent } = STRINGS
  const configure: Route = { view: 'configure', session: adminSession }
  return [
    ...(isConfigurable ? [[agent.configure, configure] as const] : []),
    [agent.context, { view: 'context' }],
    [agent.skills, { view: 'skills', name: undefined }],
    [agent.knowledge, { view: 'knowledge', name: undefined }],
    [agent.connections, { view: 'connections', name: undefined }],
    [agent.access, { view: 'access', query: '' }],
    [agent.plugins, { view: 'plugins' }],
  ]
}

/** Views of the place System. */
export const SYSTEM_VIEWS: readonly Route['view'][] = [
  'system',
  'activity',
  'audit',
  'queue',
  'logs',
]

/** The same as tabs above them. */
export const systemTabs = (tabs: SystemTabs): readonly (readonly [string, Route])[] => [
  [STRINGS.system.health, { view: 'system' }],
  [STRINGS.system.activity, { view: 'activity' }],
  ...(tabs.hasAudit ? [[STRINGS.system.audit, { view: 'audit', query: '' }] as const] : []),
  ...(tabs.hasQueue ? [[STRINGS.system.queue, { view: 'queue' }] as const] : []),
  ...(tabs.hasLogs ? [[STRINGS.system.logs, { view: 'logs', query: '' }] as const] : []),
]

/** Which of them this server has for the person. */
export interface SystemTabs {
  readonly hasAudit: boolean
  readonly hasQueue: boolean
  readonly hasLogs: boolean
}

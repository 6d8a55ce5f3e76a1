import type { Inspection, Json, JsonObject } from '@amodal/sdk'
import {
  ClientError,
  createClient,
  randomKey,
  Reachability,
  readEvents,
  type Client,
} from '@amodal/sdk/client'
import type { PageList } from '@amodal/plugin-pages/tokens'
import type { RecordAction } from '../../src/record-list.ts'
import type {
  AutomationState,
  ConnectionShown,
  ConnectionSummary,
  ContextReport,
  HealthReport,
  LiveEvent,
  Me,
  PluginView,
  PromotedCase,
  ReplayOutcome,
  RightsShown,
  SentReport,
  Shown,
  StoreLetters,
  WidgetView,
} from './server-types.ts'
import { tabStorage, type Credentials } from './tab-storage.ts'

export type * from './server-types.ts'

/** The server behind this page. Every method throws `ClientError`. */
export interface Server extends Client {
  /** Whether it answers. */
  readonly reach: Reachability
  /** From now on, requests carry these credentials. */
  signIn(who: Credentials): void
  health(): Promise<HealthReport>
  /** The same with all facts, for those who may inspect the server. */
  fullHealth(): Promise<HealthReport & JsonObject>
  me(): Promise<Me>
  agent(): Promise<{ readonly name: string | null; readonly description: string | null }>
  context(): Promise<ContextReport>
  sent(session: string): Promise<SentReport>
  wiring(): Promise<Inspection>
  /** A conversation as a case of an eval, without its personal data. */
  promote(session: string): Promise<PromotedCase>
  /** Replays a session with the agent as it is. */
  replay(session: string): Promise<ReplayOutcome>
  rights(): Promise<RightsShown>
  connections(): Promise<{ readonly connections: readonly ConnectionSummary[] }>
  connection(name: string): Promise<ConnectionShown>
  views(): Promise<readonly PluginView[]>
  /** @param query of its route: the part of the view that is looked at */
  shown(view: WidgetView, query: string): Promise<Shown>
  act(action: RecordAction): Promise<void>
  /** The agent's pages, and the stores that have generated ones. */
  pages(): Promise<PageList>
  automations(): Promise<readonly AutomationState[]>
  /** Models that sessions used, those with the most tokens first. */
  models(): Promise<readonly string[]>
  /** The stores that the person may read, with their dead letters. */
  storeLetters(): Promise<readonly StoreLetters[]>
  /** The JSON of a route, with the credentials of the person; its contract is the caller's. */
  read<T>(path: string, init?: RequestInit): Promise<T>
  /** A request with the credentials of the person. */
  request(path: string, init?: RequestInit): Promise<Response>
  /**
   * What changes, until `signal` ends it or the server does.
   * @param last the last event that was received; without one, the newest events come first
   */
  events(last: number | undefined, signal: AbortSignal): Promise<EventStream>
}

export interface EventStream {
  /** The newest event when the stream began. */
  readonly head: number
  readonly events: AsyncIterable<LiveEvent>
}

/** Events from before the page was opened, that it begins with. */
const EARLIER = 200

/** A server at the address that this page came from. */
export function serverFor(who: Credentials | undefined): Server {
  const url = location.origin
  const reach = new Reachability({ url })
  let headers = headersFor(who)
  const authorized: typeof fetch = (input, init) =>
    reach.fetch(input, {
      ...init,
      headers: { ...Object.fromEntries(new Headers(init?.headers)), ...headers },
    })
  const json = async <T>(path: string, init?: RequestInit): Promise<T> => {
    const response = await ask(authorized, path, { signal: AbortSignal.timeout(30_000), ...init })
    return (await response.json()) as T // the server's contract
  }
  const post = async <T>(path: string, body: object): Promise<T> => {
    const response = await ask(authorized, path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    })
    return (await response.json()) as T // the server's contract
  }
  return {
    ...createClient({ url, fetch: authorized }),
    reach,
    signIn(credentials) {
      tabStorage.storeCredentials(credentials)
      headers = headersFor(credentials)
    },
    health: () => json('/health'),
    fullHealth: () => json('/inspect/health'),
    me: () => json('/api/me'),
    agent: () => json('/api/config'),
    context: () => json('/inspect/context'),
    sent: (session) => json(`/inspect/sessions/${encodeURIComponent(session)}`),
    wiring: () => json('/inspect/kernel'),
    promote: async (session) => ({
      kind: 'case',
      ...(await post<Omit<PromotedCase, 'kind'>>('/api/evals/promote', { session })),
    }),
    replay: async (session) => {
      const { difference, entries, problems } = await post<ReplayReport>('/api/evals/replay', {
        session,
      })
      return {
        kind: 'replay',
        entries,
        problems,
        ...(difference !== undefined && { difference: JSON.stringify(difference, null, 2) }),
      }
    },
    rights: () => json('/inspect/rights'),
    connections: () => json('/inspect/connections'),
    connection: (name) => json(`/inspect/connections/${encodeURIComponent(name)}`),
    views: async () =>
      (await json<{ readonly views: readonly PluginView[] }>('/api/studio/views')).views,
    shown: ({ route }, query) => json(query === '' ? route : `${route}?${query}`),
    async act({ path, body = {} }) {
      const { origin, href } = new URL(path, url)
      if (origin !== url) throw new ClientError('VALIDATION_ERROR', `${path} leaves this server`)
      await ask(authorized, href, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'idempotency-key': randomKey(),
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(30_000),
      })
    },
    pages: () => json('/api/pages'),
    automations: async () =>
      (await json<{ readonly automations: readonly AutomationState[] }>('/automations'))
        .automations,
    models: async () => {
      const { topModels } = await json<{
        readonly topModels: readonly { readonly model: string }[]
      }>('/api/stats')
      return topModels.map(({ model }) => model)
    },
    storeLetters: async () => {
      const { stores } = await json<{
        readonly stores: readonly {
          readonly name: string
          readonly deadLetterCount: number | null
        }[]
      }>('/api/stores')
      return stores.map(({ name, deadLetterCount }) => ({ name, letters: deadLetterCount ?? 0 }))
    },
    read: json,
    request: (path, init) => authorized(path, { signal: AbortSignal.timeout(30_000), ...init }),
    async events(last, signal) {
      const response = await ask(authorized, `/api/events?replay=${EARLIER}`, {
        headers: { ...(last !== undefined && { 'last-event-id': String(last) }) },
        signal,
      })
      const head = Number(response.headers.get('last-event-id'))
      return { head, events: liveEvents(response, signal) }
    },
  }
}

async function* liveEvents(response: Response, signal: AbortSignal): AsyncGenerator<LiveEvent> {
  for await (const { data } of readEvents(response, signal)) {
    const event = JSON.parse(data) as Json // one object a frame
    if (isLive(event)) yield event
  }
}

interface ReplayReport {
  readonly entries: number
  readonly difference?: Json
  readonly problems: readonly string[]
}

const headersFor = (who: Credentials | undefined): Readonly<Record<string, string>> => ({
  ...(who && { authorization: `Bearer ${who.key}` }),
  ...(who?.scope && { 'x-scope-id': who.scope }),
})

async function ask(request: typeof fetch, path: string, init: RequestInit): Promise<Response> {
  let response: Response
  try {
    response = await request(path, init)
  } catch (cause) {
    if (init.signal?.aborted) throw cause
    throw new ClientError('UNREACHABLE', 'the server cannot be reached', undefined, cause)
  }
  if (response.ok) return response
  const said: unknown = await response.json().catch(() => undefined)
  throw new ClientError(
    fieldOf(said, 'code') ?? 'INTERNAL',
    fieldOf(said, 'message') ?? response.statusText,
    response.status,
  )
}

/** A field of the error in an answer. */
export function fieldOf(said: unknown, field: 'code' | 'message'): string | undefined {
  const error: unknown =
    typeof said === 'object' && said !== null && 'error' in said ? said.error : undefined
  const value: unknown =
    typeof error === 'object' && error !== null && field in error
      ? (error as Readonly<Record<string, unknown>>)[field]
      : undefined
  return typeof value === 'string' ? value : undefined
}

const isLive = (event: Json): event is LiveEvent =>
  typeof event === 'object' &&
  event !== null &&
  'seq' in event &&
  'timestamp' in event &&
  'type' in event

/** What went wrong, for a person. */
export const problemOf = (cause: unknown): string =>
  cause instanceof Error ? cause.message : String(cause)

/** There was no response, so whether the server received the request is unknown. */
export const isUnreached = (cause: unknown): boolean =>
  cause instanceof ClientError && (cause.code === 'UNREACHABLE' || cause.code === 'KERNEL_CLOSED')

export const isUnauthorized = (cause: unknown): boolean =>
  cause instanceof ClientError && cause.status === 401

import { plain } from './plain.ts'

/** Asks the server for something; rejects with an error that has a `code`. */
export type Asks = (what: Readonly<Record<string, unknown>>) => Promise<unknown>

interface Given {
  readonly env: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  readonly facts: Readonly<Record<string, unknown>>
  readonly ask: Asks
  readonly tell: (what: Readonly<Record<string, unknown>>) => void
  /** The time that a durable call is shown. */
  readonly time: () => number
}

interface RequestOptions {
  readonly method?: string
  readonly data?: unknown
  readonly params?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** The `ctx` of one call. */
export function contextOf({
  env,
  signal,
  facts: { offers, durable, ...facts },
  ask,
  tell,
  time,
}: Given): object {
  const given = (name: string, value: unknown): object =>
    value === undefined ? {} : { [name]: plain(value, name) }
  return Object.freeze({
    ...facts,
    state: stateOf(facts['state'], ask),
    signal,
    request: (
      connection: string,
      endpoint: string,
      { method = 'GET', data, params, headers }: RequestOptions = {},
    ) =>
      ask({
        op: 'request',
        connection,
        endpoint,
        method,
        ...given('data', data),
        ...given('params', params),
        ...(headers && { headers }),
      }),
    exec: (
      command: string | readonly string[],
      { cwd, timeout }: { readonly cwd?: string; readonly timeout?: number } = {},
    ) => ask({ op: 'exec', command, cwd, timeout }),
    store: (name: string, payload: unknown) =>
      ask({ op: 'store', name, payload: plain(payload, 'payload') }),
    tool: (name: string, args: unknown = {}) =>
      ask({ op: 'tool', name, args: plain(args, 'args') }),
    env: variables(env),
    ...(offered(offers, 'callTool') && {
      callTool: (name: string, args: unknown = {}) =>
        ask({ op: 'tool', name, args: plain(args, 'args'), declared: true }),
    }),
    ...(offered(offers, 'callSubagent') && {
      callSubagent: (name: string, task: string, input?: unknown) =>
        ask({ op: 'subagent', name, task, ...given('input', input) }),
    }),
    ...(offered(offers, 'durable') && {
      now: () => time(),
      random: randomFrom(durable),
      sleepUntil: (date: Date | string | number) =>
        ask({ op: 'sleep', until: new Date(date).getTime() }),
      waitForApproval: (prompt: string) => ask({ op: 'approval', prompt }),
    }),
    emitReasoning: (line: string) => tell({ op: 'reasoning', line: String(line) }),
    fs: Object.freeze({ readRepoFile: (path: string) => ask({ op: 'read-file', path }) }),
    log: (message: unknown) => tell({ op: 'log', message: textOf(message) }),
    emit: (event: unknown) => tell({ op: 'emit', event: plain(event, 'event') }),
    setLabel: ({
      running,
      completed,
    }: {
      readonly running?: string
      readonly completed?: string
    }) => tell({ op: 'label', running, completed }),
  })
}

/** The `ctx` of one question to a guard. */
export function guardContextOf({ facts: { offers, ...facts }, ask, tell }: Given): object {
  return Object.freeze({
    ...facts,
    log: (message: unknown) => tell({ op: 'log', message: textOf(message) }),
    ...(offered(offers, 'store') && {
      store: Object.freeze({
        get: (store: string, key: string) => ask({ op: 'document', store, key: String(key) }),
        query: (store: string, equals: unknown = {}) =>
          ask({ op: 'documents', store, equals: plain(equals, 'equals') }),
      }),
    }),
  })
}

const textOf = (message: unknown): string =>
  typeof message === 'string' ? message : JSON.stringify(plain(message, 'message'))

const offered = (offers: unknown, member: string): boolean =>
  Array.isArray(offers) && offers.includes(member)

/** Numbers from 0 to 1 that are the same on every try (mulberry32). */
function randomFrom(durable: unknown): () => number {
  let state = durableOf(durable).seed
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** What a durable call begins with. */
export const durableOf = (durable: unknown): { readonly now: number; readonly seed: number } =>
  // made by the server
  (durable ?? { now: 0, seed: 0 }) as { readonly now: number; readonly seed: number }

/** Its variables, as `env(name)` and as `env.NAME`. */
function variables(env: Readonly<Record<string, string>>): object {
  const read = (name: string): string | undefined =>
    Object.hasOwn(env, name) ? env[name] : undefined
  for (const [name, value] of Object.entries(env))
    Object.defineProperty(read, name, { value, enumerable: true })
  return Object.freeze(read)
}

/** A `fetch` that the server makes, under its rules for addresses, sizes and time. */
export function fetchThrough(ask: () => Asks): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const body = request.body
      ? Buffer.from(await request.arrayBuffer()).toString('base64')
      : undefined
    const asked = ask()({
      op: 'fetch',
      url: request.url,
      method: request.method,
      headers: Object.fromEntries(request.headers),
      body,
    })
    const answer = await asked.catch((cause: unknown) => {
      throw new TypeError(
        `fetch failed: ${cause instanceof Error ? cause.message : String(cause)}`,
        { cause },
      )
    })
    const {
      status,
      headers,
      body: bytes,
    } = answer as {
      readonly status: number
      readonly headers: Record<string, string>
      readonly body: string
    } // made by the server
    const empty = status === 204 || status === 205 || status === 304
    return new Response(empty ? null : Buffer.from(bytes, 'base64'), { status, headers })
  }
}

/** The live state: the values of this call, which each answer of the server replaces. */
function stateOf(initial: unknown, ask: Asks): object {
  let values = frozen(initial)
  const changed = async (what: Readonly<Record<string, unknown>>): Promise<unknown> => {
    values = frozen(await ask(what))
    return values
  }
  return Object.freeze({
    get: () => values,
    set: (given: unknown) => changed({ op: 'state', values: plain(given, 'values') }),
    patch: (operations: unknown) =>
      changed({ op: 'state-patch', operations: plain(operations, 'operations') }),
  })
}

/** A write to a value that the handler was given throws at once. */
function frozen(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  for (const part of Object.values(value)) frozen(part)
  return Object.freeze(value)
}

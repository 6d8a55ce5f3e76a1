// The program of a handler process. It loads one handler and runs each call that the server sends.
import { relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { TOOL_HANDLER } from './api.ts'
import { Channel } from './channel.ts'
import { contextOf, durableOf, fetchThrough, guardContextOf, type Asks } from './context.ts'
import { plain } from './plain.ts'
import { ownImports } from './resolve.ts'

type Handler = (params: unknown, context: object) => unknown
interface Start {
  readonly entry: string
  readonly form: 'handler' | 'tool' | 'guard' | 'agent' | 'version'
  readonly config?: unknown
  readonly roots: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly describe: boolean
}
interface Call {
  readonly call: number
  readonly params: unknown
  readonly context: Readonly<Record<string, unknown>>
}
interface Answer {
  readonly id: number
  readonly ok: boolean
  readonly at?: number
  readonly value?: unknown
  readonly code?: string
  readonly message?: string
}

const MOST_STACK = 20_000
const channel = new Channel()
const waiting = new Map<
  number,
  { readonly resolve: (value: unknown) => void; readonly reject: (cause: Error) => void }
>()
let asked = 0
let started: Start = { entry: '', form: 'handler', roots: [], env: {}, describe: false }
let handler: Handler | undefined
let current:
  | { readonly call: number; readonly stop: AbortController; readonly ask: Asks; now: number }
  | undefined

channel.listen((message) => {
  switch (message.type) {
    case 'start':
      return void load(message as unknown as Start)
    case 'call':
      return void run(message as unknown as Call)
    case 'abort':
      return current?.stop.abort(new DOMException('the call was stopped', 'AbortError'))
    case 'answer':
      return answered(message as unknown as Answer)
    default:
      return undefined
  }
})
process.on('uncaughtException', (cause) => channel.end({ type: 'crashed', message: told(cause) }))

async function load(start: Start): Promise<void> {
  started = start
  Object.assign(process.env, start.env)
  ownImports(start.roots)
  globalThis.fetch = fetchThrough(
    () => current?.ask ?? (() => Promise.reject(new Error('it belongs to no call'))),
  )
  try {
    const module = (await import(pathToFileURL(start.entry).href)) as Module
    const { run: found, definition } = await loadedFrom(module, start)
    handler = found
    channel.send({
      type: 'ready',
      ...(start.describe && definition && { definition: plain(definition, 'the definition') }),
    })
  } catch (cause) {
    channel.send({ type: 'failed', message: messageOf(cause), ...placeOf(cause) })
  }
}

type Module = Readonly<Record<string, unknown>>

function loadedFrom(module: Module, { form, config }: Start): Loaded | Promise<Loaded> {
  switch (form) {
    case 'handler':
      return handlerIn(module['default'])
    case 'tool':
      return toolIn(module['default'])
    case 'guard':
      return guardIn(module, config)
    case 'agent':
      return agentIn(module['default'])
    case 'version':
      return versionIn(module)
  }
}

interface Loaded {
  readonly run: Handler
  readonly definition?: Readonly<Record<string, unknown>>
}

function handlerIn(exported: unknown): Loaded {
  const { handler: given, ...definition } = isDefinition(exported)
    ? exported
    : { handler: exported }
  if (typeof given !== 'function')
    throw new TypeError(
      'it has no handler: write `export default async (params, ctx) => …`, or `export default defineToolHandler({ …, handler })`',
    )
  return { run: given as Handler, ...(isDefinition(exported) && { definition }) }
}

/** A tool that is code alone: `handle(ctx)` has its arguments as `ctx.input`. */
function toolIn(exported: unknown): Loaded {
  const { handle, ...definition } = (exported ?? {}) as Readonly<Record<string, unknown>>
  if (typeof handle !== 'function')
    throw new TypeError(
      'it exports no tool: write `export default { id, exposure, llm_callable, base, handle(ctx) { … } }`',
    )
  const run: Handler = (input, context) =>
    (handle as (context: object) => unknown).call(exported, Object.freeze({ ...context, input }))
  return { run, definition }
}

/** A guard: made once for each process, and asked at its points. */
async function guardIn({ createHook }: Module, config: unknown): Promise<Loaded> {
  if (typeof createHook !== 'function') throw new TypeError('it exports no `createHook(config)`')
  const hook = (await (createHook as (config: unknown) => unknown)(config)) as Module | undefined
  const run = hook?.['run']
  if (typeof run !== 'function')
    throw new TypeError('its `createHook` returns no `{ run(point, payload, ctx) }`')
  return {
    run: (params, context) => {
      const { point, payload } = params as Module
      return (run as (...args: readonly unknown[]) => unknown).call(hook, point, payload, context)
    },
  }
}

/** Fields of an agent; each condition is a function that is called with the context of a run. */
function agentIn(exported: unknown): Loaded {
  if (typeof exported !== 'object' || exported === null || Array.isArray(exported))
    throw new TypeError('it exports no agent: write `export default { tools: [ … ] }`')
  const conditions = new Map<string, Condition>()
  const definition = Object.fromEntries(
    Object.entries(exported).map(([field, value]: [string, unknown]) => [
      field,
      withoutConditions(value, field, conditions),
    ]),
  )
  return {
    definition,
    run: (params) => {
      const { ctx } = params as Module
      return Object.fromEntries(
        [...conditions].map(([at, condition]) => [at, isTrue(condition, ctx)]),
      )
    },
  }
}

/** A versioned tool: `run_tool` with its six arguments, and the schemas that it exports. */
function versionIn(module: Module): Loaded {
  const { run_tool: runTool, input, output } = module
  if (typeof runTool !== 'function')
    throw new TypeError(
      'it exports no `run_tool(tool_input, metadata, config, conversation, send_status_event, user_variables)`',
    )
  return {
    definition: {
      // Rest and default parameters are not counted.
      parameters: runTool.length === 0 ? null : runTool.length,
      ...(input !== undefined && { input }),
      ...(output !== undefined && { output }),
    },
    run: (params, context) => {
      const call = params as Module
      const { emit } = context as { readonly emit: (event: unknown) => void }
      return (runTool as (...args: readonly unknown[]) => unknown)(
        call['tool_input'],
        call['metadata'],
        call['config'],
        call['conversation'],
        (event: unknown) => Promise.resolve(emit(statusOf(event))),
        call['user_variables'],
      )
    },
  }
}

const statusOf = (event: unknown): unknown =>
  typeof event === 'object' && event !== null && !Array.isArray(event) ? event : { message: event }

type Condition = (ctx: unknown) => unknown

/** Puts `true` in place of each condition of a list or of an object of stores. */
function withoutConditions(
  value: unknown,
  field: string,
  conditions: Map<string, Condition>,
): unknown {
  const plainEntry = (entry: unknown, key: string | number): unknown => {
    if (typeof entry !== 'object' || entry === null || !('conditional' in entry)) return entry
    if (typeof entry.conditional !== 'function')
      throw new TypeError(`\`${field}.${key}.conditional\` must be a function`)
    conditions.set(`${field}.${key}`, entry.conditional as Condition)
    return { ...entry, conditional: true }
  }
  if (Array.isArray(value)) return value.map((entry: unknown, index) => plainEntry(entry, index))
  return field === 'stores' && typeof value === 'object' && value !== null
    ? Object.fromEntries(
        Object.entries(value).map(([name, entry]: [string, unknown]) => [
          name,
          plainEntry(entry, name),
        ]),
      )
    : value
}

/** Anything but `true`, a promise among them, is no. */
function isTrue(condition: Condition, ctx: unknown): boolean {
  try {
    return condition(ctx) === true
  } catch {
    return false
  }
}

const isDefinition = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && TOOL_HANDLER in value

async function run({ call, params, context }: Call): Promise<void> {
  const stop = new AbortController()
  const ask: Asks = (what) =>
    new Promise((resolve, reject) => {
      const id = ++asked
      waiting.set(id, { resolve, reject })
      channel.send({ type: 'ask', call, id, what })
    })
  const mine = { call, stop, ask, now: durableOf(context['durable']).now }
  current = mine
  try {
    const value = await handler?.(
      params,
      (started.form === 'guard' ? guardContextOf : contextOf)({
        env: started.env,
        signal: stop.signal,
        facts: context,
        ask,
        tell: (what) => channel.send({ type: 'tell', call, what }),
        time: () => mine.now,
      }),
    )
    channel.send({ type: 'result', call, value: plain(value) })
  } catch (cause) {
    const code =
      typeof cause === 'object' &&
      cause !== null &&
      'code' in cause &&
      typeof cause.code === 'string'
        ? cause.code
        : undefined
    channel.send({
      type: 'threw',
      call,
      message: told(cause),
      ...(code !== undefined && { code }),
      ...(started.form === 'version' && { stack: stackOf(cause) }),
    })
  } finally {
    if (current === mine) current = undefined
    waiting.clear()
  }
}

function answered({
  id,
  ok,
  value,
  at,
  code = 'TOOL_FAILED',
  message = 'it failed',
}: Answer): void {
  if (current && at !== undefined) current.now = at
  const one = waiting.get(id)
  waiting.delete(id)
  if (ok) one?.resolve(value)
  else one?.reject(Object.assign(new Error(message), { code }))
}

const messageOf = (cause: unknown): string =>
  cause instanceof Error
    ? cause.message || cause.name
    : `it threw ${typeof cause === 'string' ? cause : typeof cause}`

const withoutRoots = (text: string): string =>
  started.roots.reduce((rest, root) => rest.replaceAll(`${root}/`, ''), text)

/** The error with the frames that lie in the tool's own code. */
function stackOf(cause: unknown): string {
  const [first = '', ...frames] = (cause instanceof Error ? (cause.stack ?? '') : '').split('\n')
  const own = frames.filter((frame) => started.roots.some((root) => frame.includes(`${root}/`)))
  return withoutRoots([first, ...own].join('\n').replaceAll('file://', '')).slice(0, MOST_STACK)
}

/** With the line of the handler's own code, and without the machine's paths. */
function told(cause: unknown): string {
  const { file, line } = placeOf(cause)
  const message = withoutRoots(messageOf(cause))
  return file === undefined ? message : `${message} (${file}:${line})`
}

function placeOf(cause: unknown): { readonly file?: string; readonly line?: number } {
  const stack = cause instanceof Error ? (cause.stack ?? '') : ''
  for (const [, url = '', line] of stack.matchAll(/(file:\/\/\/[^\s):]+|\/[^\s():]+):(\d+)/g)) {
    const path = url.startsWith('file:') ? fileURLToPath(url) : url
    const root = started.roots.find((one) => path === one || path.startsWith(`${one}/`))
    if (root !== undefined && !path.includes('/node_modules/'))
      return {
        file: path === root ? path.slice(path.lastIndexOf('/') + 1) : relative(root, path),
        line: Number(line),
      }
  }
  return {}
}

import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, relative, resolve } from 'node:path'
import {
  Agent,
  err,
  failure,
  isId,
  messageOf,
  ok,
  sessionId,
  tenantId,
  type CommandContext,
  type Failure,
  type Result,
  type RouteHandler,
} from '@amodal/sdk'
import { LOCAL_CALLER } from '@amodal/sdk/loop'
import { Feedback } from '@amodal/plugin-feedback/tokens'
import { askRoutes, askServer, failed, type AskRoutes } from '@amodal/plugin-http/tokens'
import { z } from 'zod'
import { Promoter } from '../promote/promoter.ts'
import { replacementLines, type Promotion, type PromotionRequest } from '../promote/promotion.ts'
import { ratedAnswers, ratedQuery, type RatedQuery } from './rated-answers.ts'

/** What the route of a server answers; see `Promotion`. */
const answer = z.object({
  name: z.string().regex(/^[\w-]{1,80}$/),
  file: z.string(),
  text: z.string(),
  replaced: z.array(z.object({ kind: z.string(), where: z.string(), count: z.number() })),
  notes: z.array(z.string()),
})
const refusal = z.object({ error: z.object({ code: z.string(), message: z.string() }) })

type Shown = Pick<Promotion, 'name' | 'text' | 'notes'> & { readonly lines: readonly string[] }
type Ask = (session: string, request: PromotionRequest) => Promise<Result<Shown, string>>

interface PromoteOptions {
  readonly sessions: readonly string[]
  /** Answers that people rated, in place of sessions by their ids. */
  readonly rated: RatedQuery | undefined
  readonly request: PromotionRequest
  readonly out: string | undefined
  readonly isDry: boolean
  readonly isForced: boolean
}

/** Promotes sessions one after another; one that cannot be promoted stops no other. */
export async function promoting(context: CommandContext): Promise<number> {
  const read = readOptions(context)
  if (!read.ok) {
    context.fail(read.error)
    return 2
  }
  const { sessions, rated, request } = read.value
  const { ask, routes } = await doorsOf(context)
  const answers = rated
    ? await ratedAnswers(routes, rated)
    : ok(sessions.map((session) => ({ session, request })))
  if (!answers.ok) {
    context.fail(answers.error)
    return 1
  }
  if (answers.value.length === 0) context.print('There is no such feedback')
  let failed = 0
  for (const { session, request } of answers.value) {
    if (context.signal.aborted) return 130
    const promoted = await ask(session, request)
    const done = promoted.ok ? await store(context, read.value, session, promoted.value) : promoted
    if (done.ok) continue
    failed++
    context.fail(`${session}: ${done.error}`)
  }
  return failed > 0 ? 1 : 0
}

function readOptions(context: CommandContext): Result<PromoteOptions, string> {
  const { arguments: sessions, options } = context
  const text = (name: string): string | undefined => {
    const value = options[name]
    return typeof value === 'string' ? value : undefined
  }
  const [at, name, out, scope] = ['at', 'name', 'out', 'scope'].map(text)
  const seq = at === undefined ? undefined : Number(at)
  const rated = ratedQuery(context)
  if (!rated.ok) return rated
  if (rated.value && (sessions.length > 0 || (at ?? name ?? out) !== undefined))
    return err('--rating chooses the conversations itself: leave out SESSION, --at, --name, --out')
  if (sessions.length === 0 && !rated.value)
    return err('say which session: amodal eval promote SESSION')
  const wrong = sessions.find((session) => !isId(session))
  if (wrong !== undefined) return err(`"${wrong}" is no id of a session`)
  if (scope !== undefined && !isId(scope)) return err(`--scope: "${scope}" is no name of one`)
  if (seq !== undefined && !(Number.isSafeInteger(seq) && seq > 0))
    return err(`--at: "${at ?? ''}" is no number of an entry`)
  if (sessions.length > 1 && (at ?? name ?? out) !== undefined)
    return err('--at, --name and --out are of one session: name one')
  return ok({
    sessions,
    rated: rated.value,
    out,
    isDry: options['dry-run'] === true,
    isForced: options['force'] === true,
    request: { ...(seq !== undefined && { at: seq }), ...(name !== undefined && { name }) },
  })
}

/** The report comes before anything is written. */
async function store(
  context: CommandContext,
  { isDry, isForced, out, rated }: PromoteOptions,
  session: string,
  { lines, name, notes, text }: Shown,
): Promise<Result<void, string>> {
  const { dir, print } = context
  const file = resolve(dir, out ?? `evals/${name}.yaml`)
  const shown = relative(dir, file)
  print(`${session} → ${shown}`)
  for (const line of lines.length === 0 ? ['Nothing was replaced'] : lines) print(`  ${line}`)
  for (const note of notes) print(`  Note: ${note}`)
  if (isDry) return ok(undefined)
  try {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text, { flag: isForced ? 'w' : 'wx' })
    return ok(undefined)
  } catch (cause) {
    if (!isThere(cause)) return err(messageOf(cause))
    const problem = `${shown} is there already: --force overwrites it`
    if (!rated) return err(problem)
    // Feedback is looked at every now and then, and most of it is not new.
    print(`  ${problem}`)
    return ok(undefined)
  }
}

const isThere = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && cause.code === 'EEXIST'

const problemOf = ({ code, message }: Pick<Failure, 'code' | 'message'>): string =>
  `${code}: ${message}`

/** Where sessions are promoted, and where feedback is listed. */
async function doorsOf(
  context: CommandContext,
): Promise<{ readonly ask: Ask; readonly routes: AskRoutes }> {
  const { scope, url } = context.options
  if (typeof url === 'string')
    return { ask: onServer(context, url), routes: askServer(context, url) }
  const kernel = await context.start({ without: ['http'] })
  const promoter = new Promoter({ agent: kernel.scope.get(Agent), scope: () => kernel.scope })
  const caller = {
    ...LOCAL_CALLER,
    ...(typeof scope === 'string' && { tenant: tenantId(scope) }),
  }
  return {
    ask: async (session, request) => {
      const promoted = await promoter.promote(caller, sessionId(session), request, context.signal)
      if (!promoted.ok) return err(problemOf(promoted.error))
      return ok({ ...promoted.value, lines: replacementLines(promoted.value.replaced) })
    },
    // In the kernel that promotes: an embedded database has one.
    routes: await askRoutes(
      { ...context, start: () => Promise.resolve(kernel) },
      ({ scope }) => scope.find(Feedback)?.routes ?? NO_FEEDBACK,
    ),
  }
}

const NO_FEEDBACK: RouteHandler = {
  fetch: () => failed(failure('NOT_FOUND', 'this agent runs without the plugin feedback')),
}

/** The server makes the case: nothing that it hides from clients is sent. */
function onServer(context: CommandContext, url: string): Ask {
  const ask = askServer(context, url)
  return async (session, request) => {
    try {
      const response = await ask('POST', '/api/evals/promote', { session, ...request })
      const body: unknown = await response.json()
      if (!response.ok) {
        const failed = refusal.safeParse(body)
        return err(failed.success ? problemOf(failed.data.error) : `${url}: ${response.status}`)
      }
      const read = answer.safeParse(body)
      if (!read.success) return err(`${url} answers with something else than a case`)
      const { replaced, ...rest } = read.data
      return ok({ ...rest, lines: linesOf(replaced) })
    } catch (cause) {
      return err(`${url}: ${messageOf(cause)}`)
    }
  }
}

const linesOf = (replaced: z.output<typeof answer>['replaced']): readonly string[] =>
  replaced.map(({ count, kind, where }) => `Replaced ${count} × ${kind} in ${where}`)

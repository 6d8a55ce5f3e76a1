import {
  err,
  isObject,
  messageOf,
  ok,
  sleep,
  type CommandContext,
  type Json,
  type JsonObject,
  type Result,
} from '@amodal/sdk'
import { askServer } from '@amodal/plugin-http/tokens'
import { resultLines } from '../report/table.ts'
import type { EvalRun, TrialResult } from '../results/result.ts'
import type { EvalOptions } from './eval-options.ts'

/** ms between two looks at a run. */
const LOOK_MS = 1_000
/** ms that one request may take. */
const REQUEST_MS = 30_000

type Ask = (
  method: 'GET' | 'POST',
  path: string,
  body?: JsonObject,
) => Promise<Result<JsonObject, string>>

/**
 * Has a server run evals, and waits for the end. Where the command is interrupted, the run is
 * cancelled.
 *
 * @returns the run, or what the server said against it
 */
export async function runOnServer(
  context: CommandContext,
  options: EvalOptions,
  url: string,
  tell: (line: string) => void,
): Promise<Result<EvalRun, string>> {
  const ask = askOf(context, url)
  const begun = await begin(ask, options)
  if (!begun.ok) return begun
  const path = `/api/evals/runs/${encodeURIComponent(begun.value)}`
  for (let shown = 0; ;) {
    const found = await ask('GET', path)
    if (!found.ok) return found
    // The route answers with the run as it is stored, and more.
    const run = found.value as unknown as EvalRun
    const next = run.status === 'open' ? inOrder(run.results) : run.results.length
    for (const result of run.results.slice(shown, next))
      for (const line of resultLines(result, run.request.runs)) tell(line)
    shown = next
    if (run.error) context.fail(`${run.error.code}: ${run.error.message}`)
    if (run.status !== 'open') return ok(run)
    if (context.signal.aborted) {
      await ask('POST', `${path}/cancel`, {})
      return ok({ ...run, status: 'cancelled' })
    }
    await sleep(LOOK_MS, context.signal).catch(() => undefined)
  }
}

/** Results that are there without one missing before them. */
function inOrder(results: readonly TrialResult[]): number {
  const gap = results.findIndex(({ index }, at) => index !== at)
  return gap === -1 ? results.length : gap
}

async function begin(ask: Ask, options: EvalOptions): Promise<Result<string, string>> {
  const { order, resume } = options
  const id = resume === 'last' ? await lastOpen(ask) : ok(resume)
  if (!id.ok) return id
  const begun =
    id.value === undefined
      ? await ask('POST', '/api/evals/run', order)
      : await ask('POST', `/api/evals/runs/${encodeURIComponent(id.value)}/resume`, {
          ...(order['budget'] !== undefined && { budget: order['budget'] }),
        })
  return begun.ok ? ok(textIn(begun.value, 'id')) : begun
}

async function lastOpen(ask: Ask): Promise<Result<string, string>> {
  const listed = await ask('GET', '/api/evals/runs?limit=100')
  if (!listed.ok) return listed
  const { runs } = listed.value
  const open = (Array.isArray(runs) ? runs : [])
    .filter(isObject)
    .find(({ source, status }) => source === 'server' && status !== 'done')
  return open
    ? ok(textIn(open, 'id'))
    : err('EVAL_INVALID: there is no run to go on with: all of them are complete')
}

function askOf(context: CommandContext, url: string): Ask {
  const ask = askServer(context, url)
  return async (method, path, body) => {
    try {
      const response = await ask(method, path, body, AbortSignal.timeout(REQUEST_MS))
      const answer = (await response.json()) as Json // routes of our own answer with JSON
      if (!isObject(answer)) return err(`${url} does not answer as a server of evals does`)
      return response.ok ? ok(answer) : err(errorIn(answer))
    } catch (cause) {
      return err(`${url} cannot be asked: ${messageOf(cause)}`)
    }
  }
}

function errorIn({ error }: JsonObject): string {
  return isObject(error) ? `${textIn(error, 'code')}: ${textIn(error, 'message')}` : 'it failed'
}

function textIn(object: JsonObject, name: string): string {
  const value = object[name]
  return typeof value === 'string' ? value : ''
}

import { isObject, timeLimit, type CommandContext, type Json, type JsonObject } from '@amodal/sdk'
import { askRoutes } from '@amodal/plugin-http/tokens'
import { PREFIX } from '../server/routes.ts'
import { Experiments } from '../tokens.ts'
import { compareOffline } from './compare-offline.ts'
import { listLines, statusLines } from './lines.ts'

/** ms for an answer of a server; writing the files of an agent takes the longest. */
const REQUEST_MS = 120_000

type Action =
  | { readonly kind: 'list' }
  | { readonly kind: 'offline' | 'status' | 'stop'; readonly name: string }
  | { readonly kind: 'promote'; readonly name: string; readonly variant: string }

/** Lists experiments, compares variants, or decides about an experiment. */
export async function runExperiment(context: CommandContext): Promise<number> {
  const action = actionOf(context)
  if (typeof action === 'string') {
    context.fail(action)
    return 2
  }
  if (action.kind === 'offline') return compareOffline(context, action.name)
  const ask = await askRoutes(context, (kernel) => kernel.scope.get(Experiments).routes)
  const limit = timeLimit(REQUEST_MS, 'asking for experiments', context.signal)
  const [method, path, body] = requestOf(action)
  const response = await ask(method, path, body, limit)
  const text = await response.text()
  const answer = parsed(text)
  if (!response.ok || !answer) {
    context.fail(errorIn(answer) ?? `the server answers ${response.status}: ${text}`)
    return 1
  }
  for (const line of context.options['json'] === true ? [text] : linesOf(action, answer))
    context.print(line)
  return 0
}

function actionOf({ arguments: names, options }: CommandContext): Action | string {
  const { promote, status, stop, url } = options
  const [name, ...more] = names
  if (more.length > 0) return `one experiment at a time: ${more.join(' ')} is too much`
  const requested = [promote !== undefined, status === true, stop === true].filter(Boolean).length
  if (requested > 1) return 'one of --status, --promote and --stop at a time'
  if (name === undefined)
    return requested === 0 ? { kind: 'list' } : 'say which experiment: amodal ops experiment NAME'
  if (typeof promote === 'string') return { kind: 'promote', name, variant: promote }
  if (status === true) return { kind: 'status', name }
  if (stop === true) return { kind: 'stop', name }
  return url === undefined
    ? { kind: 'offline', name }
    : 'the evals of an experiment run on a copy of the agent folder: leave --url out, or add --status'
}

function requestOf(action: Action): readonly ['GET' | 'POST', string, JsonObject?] {
  if (action.kind === 'list') return ['GET', PREFIX]
  const path = `${PREFIX}/${encodeURIComponent(action.name)}`
  if (action.kind === 'stop') return ['POST', `${path}/stop`, {}]
  return action.kind === 'promote'
    ? ['POST', `${path}/promote`, { variant: action.variant }]
    : ['GET', path]
}

function linesOf(action: Action, answer: JsonObject): readonly string[] {
  switch (action.kind) {
    case 'list':
      return listLines(answer)
    case 'stop':
      return [
        `"${action.name}" is stopped: sessions that begin from now on get the agent as it is.`,
      ]
    case 'promote':
      return promotionLines(action, answer)
    case 'status':
    case 'offline':
      return statusLines(answer)
    default:
      return action satisfies never
  }
}

function promotionLines(
  { name, variant }: Extract<Action, { readonly kind: 'promote' }>,
  { files, notes, where }: JsonObject,
): readonly string[] {
  const texts = (value: Json | undefined): readonly string[] =>
    Array.isArray(value) ? value.map(String) : []
  return [
    where === 'files'
      ? `"${variant}" of "${name}" is promoted. Changed: ${texts(files).join(', ')}`
      : `"${variant}" of "${name}" is promoted: all sessions that begin from now on get it.`,
    ...texts(notes),
  ]
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as Json // what JSON.parse gives is JSON
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function errorIn(answer: JsonObject | undefined): string | undefined {
  const error = answer?.['error']
  return isObject(error) &&
    typeof error['code'] === 'string' &&
    typeof error['message'] === 'string'
    ? `${error['code']}: ${error['message']}`
    : undefined
}

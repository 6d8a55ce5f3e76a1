import {
  err,
  isId,
  LOCAL_TENANT,
  ok,
  tenantId,
  type CommandContext,
  type Failure,
  type Result,
  type SessionId,
  type TenantId,
} from '@amodal/sdk'
import type { Change } from '../change/change.ts'
import { parseChange } from '../change/parse-change.ts'
import type { Recording } from '../replay/recording.ts'
import { STEPS } from '../replay/run-branch.ts'
import { parseQuery, type SessionQuery } from './session-query.ts'

/** Sessions that a query finds where no number is given. */
const LIMIT = 20
const MOST = 1_000

export interface ReplayOptions {
  readonly tenant: TenantId
  readonly names: readonly string[]
  readonly query: SessionQuery | undefined
  /** Of the sessions that the query finds. */
  readonly limit: number
  readonly changes: readonly Change[]
  /** Steps of the model beyond the record. */
  readonly steps: number
  readonly json: boolean
}

/** A session that is replayed, with its journal or why that cannot be read. */
export interface Selected {
  readonly session: SessionId
  readonly recording: Result<Recording, Failure>
}

/** Reads the command line of `amodal replay`; the error says what is wrong with it. */
export async function readReplayOptions({
  arguments: names,
  dir,
  options,
  signal,
}: CommandContext): Promise<Result<ReplayOptions, string>> {
  const { json, limit, sessions, steps, tenant, with: texts } = options
  const wrong = names.find((name) => !isId(name))
  if (wrong !== undefined) return err(`"${wrong}" is no id of a session`)
  const query = typeof sessions === 'string' ? parseQuery(sessions, Date.now()) : undefined
  if (query?.ok === false) return err(`--sessions: ${query.error}`)
  if (names.length === 0 && !query)
    return err('say which session: amodal replay SESSION, or --sessions QUERY')
  const most = countOf('limit', limit, LIMIT)
  if (!most.ok) return most
  const beyond = countOf('steps', steps, STEPS)
  if (!beyond.ok) return beyond
  const changes: Change[] = []
  for (const text of Array.isArray(texts) ? texts : []) {
    const change = await parseChange(String(text), { dir, signal })
    if (!change.ok) return err(`--with: ${change.error.message}`)
    changes.push(change.value)
  }
  return ok({
    tenant: typeof tenant === 'string' ? tenantId(tenant) : LOCAL_TENANT,
    names,
    query: query?.value,
    limit: most.value,
    changes,
    steps: beyond.value,
    json: json === true,
  })
}

function countOf(
  name: string,
  value: CommandContext['options'][string],
  otherwise: number,
): Result<number, string> {
  if (typeof value !== 'string') return ok(otherwise)
  const count = Number(value)
  return Number.isSafeInteger(count) && count >= 1 && count <= MOST
    ? ok(count)
    : err(`--${name}: "${value}" is no number from 1 to ${MOST}`)
}

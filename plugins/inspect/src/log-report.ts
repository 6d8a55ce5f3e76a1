import {
  err,
  failure,
  isObject,
  ok,
  trySync,
  type Failure,
  type Json,
  type JsonObject,
  type LogLevel,
  type Result,
} from '@amodal/sdk'
import type { RecentLine, RecentLog, RecentQuery } from '@amodal/plugin-log-json/tokens'

const LEVELS: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error']
const MOST = 1_000
const DEFAULT = 200

/** The newest lines of the log of this process, the newest first. */
export function logReport(
  log: RecentLog,
  parameters: Readonly<Record<string, string>>,
): Result<JsonObject, Failure> {
  const query = queryOf(parameters)
  if (!query.ok) return query
  const { lines, newest, dropped } = log.read(query.value)
  return ok({ lines: lines.map(lineView), newest, dropped })
}

function queryOf({
  level = '',
  q = '',
  after = '',
  limit = '',
}: Readonly<Record<string, string>>): Result<RecentQuery, Failure> {
  const known = LEVELS.find((one) => one === level)
  if (level !== '' && !known)
    return err(failure('VALIDATION_ERROR', `level: is one of ${LEVELS.join(', ')}`))
  const most = limit === '' ? DEFAULT : Number(limit)
  if (!Number.isInteger(most) || most < 1 || most > MOST)
    return err(failure('VALIDATION_ERROR', `limit: is a whole number from 1 to ${MOST}`))
  if (!/^\d{0,15}$/.test(after))
    return err(failure('VALIDATION_ERROR', 'after: is not the number of a line'))
  return ok({ level: known, text: q, after: Number(after), limit: most })
}

function lineView({ seq, level, text }: RecentLine): JsonObject {
  const read = trySync(
    () => JSON.parse(text) as Json,
    () => undefined,
  ) // written by the log
  const facts = read.ok && isObject(read.value) ? read.value : { text }
  return { seq, ...facts, level }
}

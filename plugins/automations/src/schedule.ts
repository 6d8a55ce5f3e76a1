import { err, messageOf, ok, trySync, type Result } from '@amodal/sdk'
import { Cron } from 'croner'

/** Due times of one rule. All times are ms since the epoch. */
export interface Schedule {
  /** The first due time after `after`. */
  next(after: number): number | undefined
  /** Due times after `from` up to and with `to`, the oldest first; the newest `most` of them. */
  between(from: number, to: number, most: number): readonly number[]
}

const FIELDS = /^\S+(?:\s+\S+){4}$/
const NICKNAME = /^@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)$/i

/** Whether the runtime knows a time zone by this name. */
export const isTimeZone = (name: string): boolean =>
  trySync(
    () => new Intl.DateTimeFormat('en', { timeZone: name }),
    () => undefined,
  ).ok

/**
 * Parses a cron expression of five fields, or a nickname such as `@daily`, read on the clock of a
 * time zone. A wall-clock time that a change to summer time skips is due right after the gap; one
 * that comes twice is due once. A rule that repeats within the hour follows elapsed time.
 *
 * @param timezone an IANA name
 * @returns an error text where the expression is not valid or names no date that exists
 * @example
 * const rule = parseSchedule('0 9 * * 1-5', 'Europe/Berlin')
 * if (rule.ok) rule.value.next(Date.now())
 */
export function parseSchedule(expression: string, timezone: string): Result<Schedule, string> {
  const text = expression.trim()
  if (!FIELDS.test(text) && !NICKNAME.test(text))
    return err('five fields are needed: minute, hour, day of month, month, day of week')
  if (!isTimeZone(timezone)) return err(`there is no time zone "${timezone}"`)
  const made = trySync(
    () => new Cron(text, { timezone, paused: true, ...(FIELDS.test(text) && { mode: '5-part' }) }),
    (cause) => messageOf(cause).replace(/^CronPattern: /, ''),
  )
  if (!made.ok) return made
  const cron = made.value
  const next = (after: number): number | undefined => cron.nextRun(new Date(after))?.getTime()
  if (next(0) === undefined) return err('it names a date that never comes')
  return ok({
    next,
    between(from, to, most) {
      const due: number[] = []
      for (let at = next(from); at !== undefined && at <= to; at = next(at)) {
        due.push(at)
        if (due.length > most) due.shift()
      }
      return due
    },
  })
}

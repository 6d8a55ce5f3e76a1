import type { Logger, LogLevel } from '@amodal/sdk'
import { bounded, pretty } from './line.ts'
import { serialisable } from './serialisable.ts'
import type { LineRing } from './recent-log.ts'
import type { Outlet } from './target.ts'

export interface JsonLoggerOptions {
  /** `fatal` and `none` silence everything that this log writes. */
  readonly level: LogLevel | 'fatal' | 'none'
  readonly format: 'json' | 'pretty'
  readonly outlet: Outlet
  /** The newest lines in memory: `info` and above, and what else is written. */
  readonly recent: LineRing | undefined
  /** Hides the values of secrets in a text. */
  readonly mask: (text: string) => string
  /** Facts that other plugins add to lines about a session. */
  readonly factsOf: (session: unknown) => Facts
}

/** In order of severity; `fatal` and `none` are above everything that this log writes. */
const LEVELS: readonly JsonLoggerOptions['level'][] = [
  'trace',
  'debug',
  'info',
  'warn',
  'error',
  'fatal',
  'none',
]

type Facts = Readonly<Record<string, unknown>>

/** Names that the line itself uses; a fact of that name gets a `_`. */
const OWN: ReadonlySet<string> = new Set(['level', 'time', 'event'])

/** A log whose lines are JSON, or made for reading. Errors are out before the call returns. */
export function jsonLogger({
  level,
  format,
  outlet,
  recent,
  mask,
  factsOf,
}: JsonLoggerOptions): Logger {
  const written = LEVELS.indexOf(level)
  const least = recent ? Math.min(written, LEVELS.indexOf('info')) : written
  const at = (bound: Facts): Logger => {
    const write = (on: LogLevel) =>
      LEVELS.indexOf(on) < least
        ? () => undefined
        : (event: string, data?: Facts): void => {
            const { plugin, ...facts } = { ...bound, ...data }
            const named = plugin === undefined ? {} : serialisable({ plugin }, mask)
            const line = bounded(
              `${JSON.stringify({ level: on, time: new Date().toISOString(), ...named, event: mask(event), ...serialisable({ ...renamed(facts), ...factsOf(facts['session']) }, mask) })}\n`,
            )
            recent?.add(on, line)
            if (LEVELS.indexOf(on) < written) return
            outlet.write(format === 'pretty' ? pretty(line, outlet.colored) : line)
            if (on === 'error') outlet.flush()
          }
    return Object.freeze({
      trace: write('trace'),
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
      enabled: (on) => LEVELS.indexOf(on) >= least,
      child: (data) => at({ ...bound, ...data }),
    } satisfies Logger)
  }
  return at({})
}

function renamed(facts: Facts): Facts {
  return Object.keys(facts).some((name) => OWN.has(name))
    ? Object.fromEntries(
        Object.entries(facts).map(([name, value]) => [OWN.has(name) ? `${name}_` : name, value]),
      )
    : facts
}

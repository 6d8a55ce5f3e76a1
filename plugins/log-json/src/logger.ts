import { pino, stdTimeFunctions } from 'pino'
import type { Logger, LogLevel } from '@amodal/sdk'
import { bounded, pretty } from './line.ts'
import { shown } from './shown.ts'
import type { Outlet } from './target.ts'

export interface JsonLoggerOptions {
  /** `fatal` and `none` silence everything that this log writes. */
  readonly level: LogLevel | 'fatal' | 'none'
  readonly format: 'json' | 'pretty'
  readonly outlet: Outlet
  /** Hides the values of secrets in a text. */
  readonly mask: (text: string) => string
}

type Facts = Readonly<Record<string, unknown>>

/** Names that the line itself uses; a fact of that name gets a `_`. */
const OWN: ReadonlySet<string> = new Set(['level', 'time', 'event'])

/** A log whose lines are JSON, or made for reading. Errors are out before the call returns. */
export function jsonLogger({ level, format, outlet, mask }: JsonLoggerOptions): Logger {
  const writer = pino({
    level: level === 'none' ? 'silent' : level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  }, {
    write(line: string) {
      outlet.write(format === 'pretty' ? pretty(bounded(line), outlet.colored) : bounded(line))
    },
  })

  const at = (bound: Facts): Logger => {
    const write = (on: LogLevel) => (event: string, data?: Facts): void => {
      if (!writer.isLevelEnabled(on)) return
      const { plugin, ...facts } = { ...bound, ...data }
      writer[on]({ ...(plugin !== undefined && shown({ plugin }, mask)), event: mask(event), ...shown(renamed(facts), mask) })
      if (on === 'error') outlet.flush()
    }
    return Object.freeze({
      trace: write('trace'), debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error'),
      child: (data) => at({ ...bound, ...data }),
    } satisfies Logger)
  }
  return at({})
}

function renamed(facts: Facts): Facts {
  return Object.keys(facts).some((name) => OWN.has(name)) ? Object.fromEntries(Object.entries(facts).map(([name, value]) => [OWN.has(name) ? `${name}_` : name, value])) : facts
}

import { textStart } from '@amodal/sdk/data'

/** Bytes of one line at most; what reads logs often cuts at 64 KB, and not at a useful place. */
const LINE_BYTES = 32 * 1024
const START = 4_096

/** The facts that every line begins with. */
const HEAD = ['level', 'time', 'plugin', 'event'] as const

/** The line, or its head and beginning if it is longer than the limit. */
export function bounded(line: string): string {
  const bytes = Buffer.byteLength(line)
  if (bytes <= LINE_BYTES) return line
  const record = recordOf(line)
  const head = Object.fromEntries(HEAD.map((key) => [key, record[key]]))
  return `${JSON.stringify({ ...head, cut: bytes, start: textStart(line, START) })}\n`
}

/**
 * A line for a person: `12:30:01.250 INFO session.opened chat session=s1 ms=4`, with stacks and
 * long texts below.
 */
export function pretty(line: string, colored: boolean): string {
  const { level, time, event, plugin, ...facts } = recordOf(line)
  const paint = (color: number, text: string): string =>
    colored ? `\u001b[${color}m${text}\u001b[0m` : text
  const short: string[] = []
  const below: string[] = []
  for (const [name, value] of Object.entries(facts)) {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    const stack = stackOf(value)
    if (stack !== undefined) below.push(`${name}: ${stack}`)
    else if (text.includes('\n')) below.push(`${name}: ${text}`)
    else
      short.push(
        `${paint(2, `${name}=`)}${typeof value === 'string' && /[\s"]/.test(text) ? JSON.stringify(text) : text}`,
      )
  }
  const label = String(level).toUpperCase().padEnd(5)
  const first = [
    paint(2, String(time).slice(11, 23)),
    paint(COLORS[String(level)] ?? 0, label),
    paint(1, String(event)),
    ...(typeof plugin === 'string' ? [paint(2, plugin)] : []),
    ...short,
  ].join('  ')
  return `${[first, ...below.map((text) => `    ${text.replaceAll('\n', '\n    ')}`)].join('\n')}\n`
}

const COLORS: Readonly<Record<string, number>> = {
  error: 31,
  warn: 33,
  info: 32,
  debug: 36,
  trace: 90,
}

/** The stack of an error as it was written down, its causes behind it. */
function stackOf(value: unknown): string | undefined {
  if (
    typeof value !== 'object' ||
    value === null ||
    !('stack' in value) ||
    typeof value.stack !== 'string'
  )
    return undefined
  const cause = 'cause' in value ? stackOf(value.cause) : undefined
  return cause === undefined ? value.stack : `${value.stack}\ncaused by ${cause}`
}

/** Lines are made by this plugin, so they are objects. */
function recordOf(line: string): Readonly<Record<string, unknown>> {
  const record: unknown = JSON.parse(line)
  return typeof record === 'object' && record !== null ? { ...record } : {}
}

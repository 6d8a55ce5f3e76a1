import { isExact } from '@amodal/kernel'
import type { Tracer } from '@amodal/kernel'

/**
 * `changed`: paths such as `sections[memory].body`; ` +` behind what came, ` -` behind what went.
 */
export type ValueChange = Tracer['changes'][number]

const DEPTH = 6
const MOST_PATHS = 20
const MOST_CHANGES = 200

/**
 * Records which tap changed what, for inspection: why is this line in my prompt, who removed that
 * tool? Values are copied before each tap, so it is for development and for hunts, not for every
 * day.
 *
 * @example
 * const made = await Kernel.create(entries, { trace: traceValues() })
 */
export function traceValues(): Tracer {
  const changes: ValueChange[] = []
  return {
    changes,
    watch({ name, spec: { kind } }, tap) {
      const contributes = kind === 'bail' || kind === 'collect'
      const seen = (before: unknown, value: unknown, returned: unknown): void => {
        const contributed = returned === undefined ? [] : ['(answered)']
        const changed = contributes ? contributed : changedPaths(before, returned ?? value)
        if (changed.length > 0) changes.push({ hook: name, plugin: tap.plugin, changed })
        if (changes.length > MOST_CHANGES) changes.shift()
      }
      return {
        ...tap,
        fn(...args) {
          const before = contributes ? undefined : snapshot(args[0])
          const returned = tap.fn(...args)
          // A rejection is that of the tap, and is reported where the tap is awaited.
          if (returned instanceof Promise)
            returned.then(
              (late: unknown) => seen(before, args[0], late),
              () => undefined,
            )
          else seen(before, args[0], returned)
          return returned
        },
      }
    },
  }
}

/** The plain parts of a value, copied before a tap that may change it in place. */
function snapshot(value: unknown, depth = DEPTH): unknown {
  if (typeof value !== 'object' || value === null || depth === 0 || isExact(value)) return value
  if (Array.isArray(value)) return value.map((item) => snapshot(item, depth - 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, snapshot(item, depth - 1)]),
  )
}

/**
 * What a value is made of. Items of a list go by their `name` or `id`, so that a removed tool is
 * named.
 */
function parts(value: object): ReadonlyMap<string, unknown> {
  if (!Array.isArray(value))
    return new Map(Object.entries(value).map(([key, item]) => [`.${key}`, item]))
  return new Map(value.map((item: unknown, index) => [`[${nameOf(item) ?? index}]`, item]))
}

function nameOf(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null) return undefined
  const id = 'id' in item ? item.id : undefined
  const name = 'name' in item ? item.name : id
  return typeof name === 'string' ? name : undefined
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Where two values differ. */
function changedPaths(before: unknown, after: unknown): readonly string[] {
  const found: string[] = []
  const compare = (old: unknown, now: unknown, path: string, depth: number): void => {
    if (Object.is(old, now) || found.length >= MOST_PATHS) return
    if (!isObject(old) || !isObject(now) || depth === 0)
      return void found.push(path === '' ? '(value)' : path.replace(/^\./, ''))
    const [was, is] = [parts(old), parts(now)]
    const only = (some: typeof was, others: typeof was, mark: string): void => {
      for (const key of some.keys())
        if (!others.has(key)) found.push(`${path}${key} ${mark}`.replace(/^\./, ''))
    }
    for (const [key, item] of is)
      if (was.has(key)) compare(was.get(key), item, path + key, depth - 1)
    only(is, was, '+')
    only(was, is, '-')
  }
  compare(before, after, '', DEPTH)
  return found
}

/** Which tap changed what: kept only where `trace.values` is on. */
export interface ValueChange {
  readonly hook: string
  readonly plugin: string
  /** Paths such as `sections[memory].body`; ` +` behind what came, ` -` behind what went. */
  readonly changed: readonly string[]
}

const DEPTH = 6
const MOST = 20

/** The plain parts of a value, copied before a tap that may change it in place. */
export function snapshot(value: unknown, depth = DEPTH): unknown {
  if (typeof value !== 'object' || value === null || depth === 0) return value
  if (Array.isArray(value)) return value.map((item) => snapshot(item, depth - 1))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, snapshot(item, depth - 1)]))
}

/** What a value is made of. Items of a list go by their `name` or `id`, so that a removed tool is named. */
function parts(value: object): ReadonlyMap<string, unknown> {
  if (!Array.isArray(value)) return new Map(Object.entries(value).map(([key, item]) => [`.${key}`, item]))
  return new Map(value.map((item: unknown, index) => [`[${nameOf(item) ?? index}]`, item]))
}

function nameOf(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null) return undefined
  const name = 'name' in item ? item.name : 'id' in item ? item.id : undefined
  return typeof name === 'string' ? name : undefined
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Where two values differ. */
export function changedPaths(before: unknown, after: unknown): readonly string[] {
  const found: string[] = []
  const compare = (old: unknown, now: unknown, path: string, depth: number): void => {
    if (Object.is(old, now) || found.length >= MOST) return
    if (!isObject(old) || !isObject(now) || depth === 0) return void found.push(path === '' ? '(value)' : path.replace(/^\./, ''))
    const [was, is] = [parts(old), parts(now)]
    for (const [key, item] of is) if (was.has(key)) compare(was.get(key), item, path + key, depth - 1)
    for (const key of is.keys()) if (!was.has(key)) found.push(`${path}${key} +`.replace(/^\./, ''))
    for (const key of was.keys()) if (!is.has(key)) found.push(`${path}${key} -`.replace(/^\./, ''))
  }
  compare(before, after, '', DEPTH)
  return found
}

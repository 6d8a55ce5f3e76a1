import { isList, isObject, type Json, type JsonObject, type StatePatch } from '@amodal/sdk'

/**
 * The changes from one value to another as JSON Patch (RFC 6902), in time linear in their size.
 * Lists are compared from both ends: what lies between is replaced, added or removed. Where the
 * patch of a part is longer than the part, the part is replaced.
 *
 * @see https://datatracker.ietf.org/doc/html/rfc6902
 */
export function diff(before: JsonObject, after: JsonObject): readonly StatePatch[] {
  const patch: StatePatch[] = []
  objects(before, after, '', patch)
  return patch
}

function values(before: Json, after: Json, path: string, patch: StatePatch[]): void {
  if (before === after) return
  const parts: StatePatch[] = []
  if (isObject(before) && isObject(after)) objects(before, after, path, parts)
  else if (isList(before) && isList(after)) lists(before, after, path, parts)
  else parts.push({ op: 'replace', path, value: after })
  const whole: StatePatch = { op: 'replace', path, value: after }
  if (parts.length > 1 && sizeOf(parts) > sizeOf([whole])) patch.push(whole)
  else patch.push(...parts)
}

const sizeOf = (patch: readonly StatePatch[]): number => JSON.stringify(patch).length

function objects(before: JsonObject, after: JsonObject, path: string, patch: StatePatch[]): void {
  for (const name of Object.keys(before))
    if (!Object.hasOwn(after, name)) patch.push({ op: 'remove', path: `${path}/${escaped(name)}` })
  for (const [name, value] of Object.entries(after)) {
    const at = `${path}/${escaped(name)}`
    const known = Object.hasOwn(before, name) ? before[name] : undefined
    if (known === undefined) patch.push({ op: 'add', path: at, value })
    else values(known, value, at, patch)
  }
}

function lists(
  before: readonly Json[],
  after: readonly Json[],
  path: string,
  patch: StatePatch[],
): void {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && same(before[start], after[start])) start++
  let end = 0
  while (end < shorter - start && same(before.at(-1 - end), after.at(-1 - end))) end++
  const [gone, come] = [before.length - start - end, after.length - start - end]
  const both = Math.min(gone, come)
  for (let n = 0; n < both; n++)
    values(before[start + n] ?? null, after[start + n] ?? null, `${path}/${start + n}`, patch)
  for (let n = gone - 1; n >= both; n--) patch.push({ op: 'remove', path: `${path}/${start + n}` })
  for (let n = both; n < come; n++)
    patch.push({ op: 'add', path: `${path}/${start + n}`, value: after[start + n] ?? null })
}

const same = (a: Json | undefined, b: Json | undefined): boolean =>
  a === b || JSON.stringify(a) === JSON.stringify(b)

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

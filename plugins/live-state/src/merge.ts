import { isList, isObject, type Json, type JsonObject } from '@amodal/sdk'

/**
 * What two have made of one value, both from the same one: numbers are added up, what was put
 * behind a list is put behind it, and keys of objects are merged one by one.
 *
 * @returns `undefined` where only one of the two can count
 */
export function merged(base: Json, mine: Json, theirs: Json): Json | undefined {
  if (isSame(base, theirs)) return mine
  if (isSame(base, mine)) return theirs
  if (typeof base === 'number' && typeof mine === 'number' && typeof theirs === 'number')
    return theirs + (mine - base)
  if (isList(base) && isList(mine) && isList(theirs)) return behind(base, mine, theirs)
  if (isObject(base) && isObject(mine) && isObject(theirs)) return keyByKey(base, mine, theirs)
  // Two who count up to the same number have counted twice; the same text twice is that text.
  return isSame(mine, theirs) ? mine : undefined
}

const behind = (
  base: readonly Json[],
  mine: readonly Json[],
  theirs: readonly Json[],
): Json | undefined =>
  [mine, theirs].every((one) => isSame(base, one.slice(0, base.length)))
    ? [...theirs, ...mine.slice(base.length)]
    : undefined

function keyByKey(base: JsonObject, mine: JsonObject, theirs: JsonObject): Json | undefined {
  const made: Record<string, Json> = {}
  for (const key of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
    const [was, own, other] = [base, mine, theirs].map((one) => valueIn(one, key))
    if (own === undefined || other === undefined || was === undefined) {
      // Removed by one or both, or new with one of them: it counts where the other left it alone.
      const left = isSame(was, other) ? own : other
      if (!isSame(was, other) && !isSame(was, own) && !isSame(own, other)) return undefined
      if (left !== undefined) made[key] = left
      continue
    }
    const value = merged(was, own, other)
    if (value === undefined) return undefined
    made[key] = value
  }
  return made
}

const valueIn = (object: JsonObject | undefined, key: string): Json | undefined =>
  object && Object.hasOwn(object, key) ? object[key] : undefined

const isSame = (one: Json | undefined, other: Json | undefined): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other)

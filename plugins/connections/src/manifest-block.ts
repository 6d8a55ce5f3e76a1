import { isObject, type JsonObject } from '@amodal/sdk'
import { type Issues, type JsonFile, type Path, valueAt } from '@amodal/sdk/files'

/**
 * Blocks of which each field counts for itself; of others the manifest's takes the place of the
 * whole.
 */
const MERGED = ['auth', 'headers', 'env']

/**
 * What `connections` of the manifest says of each connection, by its name; a block that is no
 * object is told.
 */
export function manifestBlocks(
  manifest: JsonFile,
  issues: Issues,
): ReadonlyMap<string, JsonObject> {
  const given = valueAt(manifest.value, ['connections'])
  if (given === undefined) return new Map()
  if (!isObject(given)) {
    issues.error('BAD_REPO', '`connections` is no object', {
      file: manifest.file,
      line: manifest.lineOf(['connections']),
      fix: 'write { "name": { "auth": … } }',
    })
    return new Map()
  }
  return new Map(
    Object.entries(given).flatMap(([name, block]) => {
      if (isObject(block)) return [[name, block] as const]
      issues.error('BAD_REPO', `\`connections.${name}\` is no object`, {
        file: manifest.file,
        line: manifest.lineOf(['connections', name]),
        fix: 'write { "auth": … }',
      })
      return []
    }),
  )
}

/**
 * A `spec.json` with what the manifest says over it, so that credentials and addresses can stand in
 * one place. Each value knows the file that it stands in.
 */
export function withBlock(
  spec: JsonFile<JsonObject>,
  name: string,
  block: JsonObject,
  manifest: JsonFile,
): JsonFile<JsonObject> {
  const merged = Object.fromEntries(
    Object.entries(block).map(([field, value]) => {
      const own = spec.value[field]
      return [
        field,
        MERGED.includes(field) && isObject(own) && isObject(value) ? { ...own, ...value } : value,
      ]
    }),
  )
  const isOurs = ([field, inner]: Path): boolean => {
    if (field === undefined || valueAt(block, [field]) === undefined) return false
    return (
      inner === undefined ||
      valueAt(block, [field, inner]) !== undefined ||
      valueAt(spec.value, [field, inner]) === undefined
    )
  }
  return {
    file: spec.file,
    value: { ...spec.value, ...merged },
    fileOf: (path) => (isOurs(path) ? manifest.file : spec.file),
    lineOf: (path) =>
      isOurs(path) ? manifest.lineOf(['connections', name, ...path]) : spec.lineOf(path),
  }
}

/** A connection that stands in the manifest alone. */
export function blockAlone(
  name: string,
  block: JsonObject,
  manifest: JsonFile,
): JsonFile<JsonObject> {
  return {
    file: manifest.file,
    value: block,
    lineOf: (path) => manifest.lineOf(['connections', name, ...path]),
  }
}

import { isList, type JsonObject } from '@amodal/sdk'
import type { Issues, JsonFile } from '@amodal/sdk/files'

/** Fields that only a flat store has. */
const OWN = ['key', 'schema', 'indexed', 'deletable'] as const

/** A store as the other form has it, and what that form has no field for. */
export interface UnfoldedStore {
  readonly json: JsonFile<JsonObject>
  /** Whether agents may remove its documents; `undefined`: the form does not say. */
  readonly deletable?: boolean
}

/**
 * A store of the second layout, whose `key` and `schema` stand at the top, in the form with
 * `entity`. Lines are those of the file.
 *
 * @returns the same file where it has an `entity`; `undefined` where it says both
 */
export function unfoldedStore(
  json: JsonFile<JsonObject>,
  issues: Issues,
): UnfoldedStore | undefined {
  const { key, schema, indexed, deletable = null, ...rest } = json.value
  const own = OWN.find((field) => json.value[field] !== undefined)
  if (own === undefined || (own === 'key' && schema === undefined)) return { json }
  const at = (field: string) => ({ file: json.file, line: json.lineOf([field]) })
  if (json.value['entity'] !== undefined)
    return void issues.error('BAD_REPO', `\`${own}\` stands beside \`entity\``, {
      ...at(own),
      fix: 'write all of it into `entity`, or remove `entity`',
    })
  if (deletable !== null && typeof deletable !== 'boolean')
    issues.error('BAD_REPO', '`deletable` must be true or false', {
      ...at('deletable'),
      fix: 'write true where agents may remove documents',
    })
  checkIndexed(json, issues)
  const entity: JsonObject = {
    ...(key !== undefined && { key }),
    ...(schema !== undefined && { schema }),
  }
  return {
    deletable: deletable === true,
    json: {
      ...json,
      value: { ...rest, entity },
      lineOf: ([first, ...inner]) =>
        json.lineOf(
          first === 'entity' ? inner : [...(first === undefined ? [] : [first]), ...inner],
        ),
    },
  }
}

/** Queries need no hint here; one that names no field is a mistake all the same. */
function checkIndexed(json: JsonFile<JsonObject>, issues: Issues): void {
  const { indexed, schema } = json.value
  if (indexed === undefined || indexed === null) return
  const names = isList(indexed) ? indexed : [indexed]
  for (const [index, name] of names.entries())
    if (
      typeof name !== 'string' ||
      typeof schema !== 'object' ||
      !Object.hasOwn(schema ?? {}, name)
    )
      issues.error('BAD_REPO', `\`indexed\` names ${JSON.stringify(name)}, which is no field`, {
        file: json.file,
        line: json.lineOf(isList(indexed) ? ['indexed', index] : ['indexed']),
        fix: 'name fields of `schema`, or remove it',
      })
}

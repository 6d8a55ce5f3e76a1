import { isList, isObject, type Json, type JsonObject } from '@amodal/sdk'

const HEADER = 'x-mcp-header'
/** A token of RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const TYPES: readonly (Json | undefined)[] = ['string', 'integer', 'boolean']
/** Keywords whose value has schemas by name. */
const NAMED: ReadonlySet<string> = new Set([
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'definitions',
])
/** Keywords whose value is a schema, or a list of them. */
const INNER: ReadonlySet<string> = new Set([
  'items',
  'prefixItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
  'oneOf',
  'anyOf',
  'allOf',
  'not',
  'if',
  'then',
  'else',
])

/**
 * Why a tool must not be offered over HTTP: it wants an argument mirrored into a header
 * (`Mcp-Param-…`) in a way that the protocol rules out.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#x-mcp-header
 */
export function badHeaderIn(schema: JsonObject): string | undefined {
  const names = new Set<string>()
  const visit = (
    node: Json | undefined,
    path: readonly string[],
    isReachable: boolean,
  ): string | undefined => {
    if (!isObject(node)) return undefined
    if (HEADER in node) {
      const problem = problemOf(node, path, isReachable, names)
      if (problem !== undefined) return `${path.join('.') || 'its schema'}: ${problem}`
    }
    for (const [keyword, value] of Object.entries(node)) {
      for (const [name, one] of schemasIn(keyword, value)) {
        const problem = visit(one, [...path, name], isReachable && keyword === 'properties')
        if (problem !== undefined) return problem
      }
    }
    return undefined
  }
  return visit(schema, [], true)
}

/** The schemas in the value of a keyword, each with the name that it has in a path. */
function schemasIn(keyword: string, value: Json): readonly (readonly [string, Json])[] {
  if (keyword === 'properties' || NAMED.has(keyword))
    return Object.entries(isObject(value) ? value : {})
  if (!INNER.has(keyword)) return []
  return (isList(value) ? value : [value]).map((one) => [`<${keyword}>`, one] as const)
}

function problemOf(
  { [HEADER]: name, type }: JsonObject,
  path: readonly string[],
  isReachable: boolean,
  names: Set<string>,
): string | undefined {
  if (!isReachable || path.length === 0) return `${HEADER} may stand at plain properties only`
  if (typeof name !== 'string' || !TOKEN.test(name)) return `${HEADER} is no name of a header`
  if (!TYPES.includes(type)) return `${HEADER} may stand at a string, an integer or a boolean only`
  if (names.has(name.toLowerCase())) return `${HEADER} names ${name} twice`
  names.add(name.toLowerCase())
  return undefined
}

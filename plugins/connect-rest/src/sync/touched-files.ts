import { isList, isObject, type BundleFile, type Json } from '@amodal/sdk'
import { jsonFileIn } from '@amodal/sdk/files'
import type { ApiChange } from './api-change.ts'

/** A place in the agent's files that names what has changed. */
export interface TouchedLine {
  readonly file: string
  readonly line: number
  /** The operation or field, as the changes name it. */
  readonly names: string
}

/** Places that are listed for one operation. */
const MOST_PLACES = 20
const METHODS = 'GET|HEAD|OPTIONS|POST|PUT|PATCH|DELETE|QUERY|MUTATION'

/**
 * The lines of tools, rules, evals and texts that name an operation or a field that has changed, so
 * that a person knows what to look at.
 *
 * @param connection its name
 * @param files of the agent
 */
export function touchedLines(
  changes: readonly ApiChange[],
  connection: string,
  files: readonly BundleFile[],
): readonly TouchedLine[] {
  const own = files.filter((file) => concerns(file, connection))
  const relevant = changes.filter(({ kind }) => kind !== 'wording')
  const operations = [...new Set(relevant.flatMap(({ operation }) => operation ?? []))]
  const fields = relevant.flatMap(({ field }) => field ?? [])
  return [
    ...operations.flatMap((operation) => linesOf(operation, own)),
    ...fields.flatMap((field) => rulesOf(field, connection, own)),
  ]
}

const FOLDERS = /^(?:amodal\/)?(?:agents|automations|connections|evals|knowledge|skills|tools)\//

/** Files of other connections, and tools that name another one, have operations of their own. */
function concerns({ path, text }: BundleFile, connection: string): boolean {
  const [, folder, name] = /^(?:amodal\/)?([^/]+)\/([^/]+)/.exec(path) ?? []
  if (folder === 'connections')
    return name === connection && !/\/(?:openapi|swagger|schema)\./.test(path)
  if (folder === 'tools' && path.endsWith('.json')) {
    const other = /"connection"\s*:\s*"([^"]+)"/.exec(text)?.[1]
    return other === undefined || other === connection
  }
  return FOLDERS.test(path)
}

function linesOf(operation: string, files: readonly BundleFile[]): readonly TouchedLine[] {
  const pattern = patternOf(operation)
  if (!pattern) return []
  const found = files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, at) =>
        pattern.test(line) ? [{ file: path, line: at + 1, names: operation }] : [],
      ),
  )
  return found.slice(0, MOST_PLACES)
}

/**
 * Finds a path with any values for its parameters: `/deals/{id}` is in `GET /deals/{deal}`, in
 * `/deals/{{id}}` of a tool and in `` `/deals/${id}` `` of a handler. Another method before it
 * means another operation.
 */
function patternOf(operation: string): RegExp | undefined {
  const [method = '', path = ''] = operation.split(' ', 2)
  if (!path.startsWith('/'))
    return path === '' ? undefined : new RegExp(String.raw`\b${escaped(path)}\b`)
  const segments = path.split(/[?#]/, 1)[0]?.split('/').filter(Boolean) ?? []
  if (segments.length === 0) return undefined
  const body = segments
    .map((segment) =>
      segment
        .split(/\{[^{}]*\}/)
        .map(escaped)
        .join(String.raw`[^/\s"'\`,)]+`),
    )
    .join('/')
  const others = METHODS.split('|').filter((other) => method !== '*' && other !== method)
  const before = method === '*' ? '' : `(?<!\\b(?:${others.join('|')})\\s+\\S*)`
  return new RegExp(String.raw`${before}/${body}(?![\w/{-])`)
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)

/** Rules of `access.json` about a field. */
function rulesOf(
  { name, schema }: NonNullable<ApiChange['field']>,
  connection: string,
  files: readonly BundleFile[],
): readonly TouchedLine[] {
  const names = `${schema}.${name}`
  const rules = files.filter(({ path }) =>
    new RegExp(String.raw`connections/${escaped(connection)}/(?:access|policy)\.json$`).test(path),
  )
  return rules.flatMap(({ path }) => {
    const json = jsonFileIn(files, path)
    if (!json || !isObject(json.value)) return []
    return placesIn(json.value, schema, name).map((at) => ({
      file: path,
      line: json.lineOf(at),
      names,
    }))
  })
}

function placesIn(
  { alternativeLookups, fieldRestrictions, rowScoping }: Readonly<Record<string, Json>>,
  schema: string,
  name: string,
): readonly (readonly (string | number)[])[] {
  const restrictions = isList(fieldRestrictions) ? fieldRestrictions : []
  const lookups = isList(alternativeLookups) ? alternativeLookups : []
  const scoped = isObject(rowScoping) ? rowScoping[schema] : undefined
  return [
    ...restrictions.flatMap((rule, at) =>
      isObject(rule) && rule['entity'] === schema && rule['field'] === name
        ? [['fieldRestrictions', at]]
        : [],
    ),
    ...lookups.flatMap((rule, at) =>
      isObject(rule) && rule['restrictedField'] === `${schema}.${name}`
        ? [['alternativeLookups', at]]
        : [],
    ),
    ...(isObject(scoped) && Object.hasOwn(scoped, name) ? [['rowScoping', schema, name]] : []),
  ]
}

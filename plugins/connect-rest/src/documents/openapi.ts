import {
  type ApiEndpoint,
  type ApiParameter,
  err,
  isList,
  isObject,
  type Json,
  type JsonObject,
  ok,
  type Result,
} from '@amodal/sdk'
import { ellipsis, textStart } from '@amodal/sdk/data'
import type { ParsedDocument } from './parsed-document.ts'
import { takenOf, takenOfSwagger, type Taken } from './media.ts'
import { schemaFields } from './schema-fields.ts'
import { resolver, type DocumentFiles } from './references.ts'
import { schemaText, type Resolve } from './schema-text.ts'
import { documentServer, ownServers } from './servers.ts'

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'] as const
const PLACES: Readonly<Record<string, ApiParameter['in'] | undefined>> = {
  path: 'path',
  query: 'query',
  header: 'header',
  formData: 'form',
}
const MOST_SUMMARY = 160

/**
 * Reads the operations of an OpenAPI 3.0, 3.1 or 3.2 or a Swagger 2.0 document; 3.2 as far as it is
 * 3.1.
 *
 * @param files that it refers to
 * @see https://spec.openapis.org/oas/v3.1.1 · https://spec.openapis.org/oas/v2.0
 */
export function readOpenApi(
  document: JsonObject,
  files: DocumentFiles = {},
): Result<ParsedDocument, string> {
  const version = textOf(document['openapi'] ?? document['swagger'])
  if (!/^(3\.[012]|2\.0)/.test(version))
    return err(
      version === ''
        ? 'it is no OpenAPI document: `openapi` is missing'
        : `OpenAPI ${version} is not supported; 2.0 and 3.0 to 3.2 are`,
    )
  const { paths, info } = document
  if (!isObject(paths)) return err('it has no `paths`')
  const missing = new Set<string>()
  const resolve = resolver(document, files, missing)
  const endpoints = Object.entries(paths).flatMap(([path, item]) => {
    const operations = resolve(item)
    return operations
      ? METHODS.flatMap((method) => {
          const operation = operations[method]
          return isObject(operation)
            ? [
                {
                  ...endpointOf(
                    method,
                    path,
                    operation,
                    operations['parameters'],
                    resolve,
                    consumesOf(document, operation),
                  ),
                  ...ownServers(document, operations, operation),
                },
              ]
            : []
        })
      : []
  })
  const basePath = basePathOf(document)
  const schemas = schemaFields(document, resolve)
  const title = isObject(info) && typeof info['title'] === 'string' ? info['title'] : ''
  return ok({
    title,
    kind: `${version.startsWith('2') ? 'Swagger' : 'OpenAPI'} ${version.split('.').slice(0, 2).join('.')}`,
    endpoints,
    ...(basePath !== undefined && { basePath }),
    ...(missing.size > 0 && { missing: [...missing].toSorted() }),
    ...(schemas && { schemas }),
  })
}

function endpointOf(
  method: string,
  path: string,
  operation: JsonObject,
  shared: Json | undefined,
  resolve: Resolve,
  consumes: readonly string[] | undefined,
): ApiEndpoint {
  const given = parametersOf([shared, operation['parameters']], resolve)
  const content = resolve(operation['requestBody'])?.['content']
  const swagger = (): Partial<Taken> => (consumes ? takenOfSwagger(given, consumes, resolve) : {})
  const { schema, takes } = isObject(content) ? takenOf(content, resolve) : swagger()
  const fixed = path.includes('#') ? given.flatMap((one) => fixedOf(one, resolve) ?? []) : []
  const tags = operation['tags']
  return {
    method: method.toUpperCase(),
    path,
    summary: shortened(operation['summary'], operation['description'], operation['operationId']),
    tags: isList(tags) ? tags.filter((tag) => typeof tag === 'string') : [],
    parameters: given.flatMap((one) => parameterOf(one, resolve) ?? []),
    ...(schema !== undefined && { body: schemaText(schema, resolve) }),
    ...(takes && { takes }),
    ...(fixed.length > 0 && { fixed }),
    ...(operation['deprecated'] === true && { deprecated: true as const }),
  }
}

/**
 * Those of the path first; one of the operation takes the place of one with the same name and
 * place.
 */
function parametersOf(
  lists: readonly (Json | undefined)[],
  resolve: Resolve,
): readonly JsonObject[] {
  const found = new Map<string, JsonObject>()
  for (const list of lists)
    for (const one of isList(list) ? list : []) {
      const parameter = resolve(one)
      if (parameter) found.set(`${textOf(parameter['in'])} ${textOf(parameter['name'])}`, parameter)
    }
  return [...found.values()]
}

function parameterOf(parameter: JsonObject, resolve: Resolve): ApiParameter | undefined {
  const { name, description } = parameter
  const place = PLACES[textOf(parameter['in'])]
  if (typeof name !== 'string' || !place) return undefined
  const declared = shortened(description)
  return {
    name,
    in: place,
    type: textStart(schemaText(parameter['schema'] ?? parameter, resolve), 120),
    ...(parameter['required'] === true && { required: true as const }),
    ...(declared !== '' && { description: declared }),
  }
}

/** What Swagger 2 says of the bodies of an operation; `undefined` in other documents. */
function consumesOf(document: JsonObject, operation: JsonObject): readonly string[] | undefined {
  if (document['swagger'] === undefined) return undefined
  const declared = operation['consumes'] ?? document['consumes']
  return isList(declared) ? declared.filter((type) => typeof type === 'string') : []
}

/** The path that all paths of the document are below. */
function basePathOf(document: JsonObject): string | undefined {
  const { basePath } = document
  const server = documentServer(document)
  const serverPath = server === undefined ? undefined : URL.parse(server, 'http://server')?.pathname
  const path = typeof basePath === 'string' ? basePath : serverPath
  return path === undefined || path.replaceAll('/', '') === '' || path.includes('%7B')
    ? undefined
    : path.replace(/\/+$/, '')
}

/** A parameter that is needed and has one value only. */
function fixedOf(
  parameter: JsonObject,
  resolve: Resolve,
): NonNullable<ApiEndpoint['fixed']>[number] | undefined {
  const { name, in: place } = parameter
  const values = (resolve(parameter['schema']) ?? parameter)['enum']
  if (
    typeof name !== 'string' ||
    (place !== 'query' && place !== 'header') ||
    parameter['required'] !== true ||
    !isList(values) ||
    values.length !== 1
  )
    return undefined
  const [value = null] = values
  return typeof value === 'object' ? undefined : { name, in: place, value: String(value) }
}

/** A version may have been written without quotes. */
function textOf(value: Json | undefined): string {
  if (typeof value === 'number') return value.toFixed(1)
  return typeof value === 'string' ? value : ''
}

/** The first of these texts, its first lines. */
function shortened(...texts: readonly (Json | undefined)[]): string {
  const text =
    texts
      .find((one): one is string => typeof one === 'string' && one.trim() !== '')
      ?.trim()
      .replaceAll(/\s+/g, ' ') ?? ''
  return ellipsis(text, MOST_SUMMARY)
}

import { isList, isObject, type ApiEndpoint, type Json, type JsonObject } from '@amodal/sdk'
import type { StarterPart } from '@amodal/plugin-repo-files/tokens'
import { parseText } from '../documents/parse-text.ts'
import type { ParsedDocument } from '../documents/parsed-document.ts'
import { documentServer } from '../documents/servers.ts'

/** An API document that a connection begins with. */
export interface SourceDocument {
  /** The file or address. */
  readonly from: string
  readonly text: string
  readonly document: ParsedDocument
}

const PLACEHOLDER = 'https://api.example.com'
/** Writing operations that `access.json` names one by one. */
const MOST_ENTRIES = 300
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY'])

/**
 * The files of a connection: reads run, writes ask a person, deletes are off until somebody decides
 * otherwise.
 *
 * @example
 * connectionPart('crm').files.map(({ path }) => path)
 * // ['connections/crm/spec.json', 'connections/crm/access.json']
 */
export function connectionPart(name: string, document?: SourceDocument): StarterPart {
  const folder = `connections/${name}`
  const json = document && jsonOf(document)
  const isGraphql = document?.document.kind === 'GraphQL'
  const variable = `${name.toUpperCase().replaceAll('-', '_')}_TOKEN`
  const baseUrl = document && baseUrlOf(document.from, json, isGraphql)
  const auth = json === undefined ? bearer(variable) : authOf(json, variable)
  const spec = {
    baseUrl: baseUrl ?? PLACEHOLDER,
    ...(isGraphql && { format: 'graphql' }),
    ...(document && isAddress(document.from) && { specUrl: document.from }),
    ...(auth && { auth }),
  }
  const documentFile = document && [
    { path: `${folder}/${documentFileOf(document)}`, text: document.text },
  ]
  return {
    files: [
      { path: `${folder}/spec.json`, text: printed(spec) },
      {
        path: `${folder}/access.json`,
        text: printed(accessOf(isGraphql ? [] : (document?.document.endpoints ?? []))),
      },
      ...(documentFile ?? []),
    ],
    next: [
      ...(baseUrl === undefined ? [`Write its address into ${folder}/spec.json`] : []),
      ...(auth ? [`Put ${variable}=… into .env`] : []),
      `Decide what it may do in ${folder}/access.json: \`amodal docs write-an-agent#connections\``,
    ],
  }
}

/** The name of the file that a document has in the folder of its connection. */
export function documentFileOf({ text, document }: Omit<SourceDocument, 'from'>): string {
  const isJson = /^\uFEFF?\s*\{/.test(text)
  if (document.kind === 'GraphQL') return isJson ? 'schema.json' : 'schema.graphql'
  return isJson ? 'openapi.json' : 'openapi.yaml'
}

/** What an OpenAPI document has; a GraphQL schema names neither a server nor a credential. */
function jsonOf({ text, document }: SourceDocument): Json | undefined {
  const json = document.kind === 'GraphQL' ? undefined : parseText(text.replace(/^\uFEFF/, ''))
  return json?.ok === true ? json.value : undefined
}

export const isAddress = (from: string): boolean => /^https?:\/\//.test(from)
const printed = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`

function accessOf(endpoints: readonly ApiEndpoint[]): JsonObject {
  const writes = endpoints.filter(({ method }) => !READS.has(method)).slice(0, MOST_ENTRIES)
  return {
    default: { read: 'allow', write: 'confirm' },
    endpoints: Object.fromEntries(
      writes.map(({ method, path }) => [
        `${method} ${path}`,
        method === 'DELETE' ? 'never' : 'confirm',
      ]),
    ),
  }
}

/**
 * The first server of OpenAPI, or host and path of Swagger; relative ones from the address. Of a
 * GraphQL service the address that was asked.
 */
function baseUrlOf(from: string, json: Json | undefined, isGraphql: boolean): string | undefined {
  if (isGraphql && isAddress(from) && !/\.(?:graphqls?|gql|json)$/i.test(from)) return from
  if (json === undefined || !isObject(json)) return undefined
  const server = documentServer(json) ?? swaggerServer(json)
  const url = server === undefined ? null : URL.parse(server, URL.parse(from) ?? undefined)
  if (!url || !/^https?:$/.test(url.protocol)) return undefined
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}

function swaggerServer({ host, basePath, schemes }: JsonObject): string | undefined {
  if (typeof host !== 'string') return undefined
  const scheme = isList(schemes) && !schemes.includes('https') ? schemes[0] : 'https'
  return `${typeof scheme === 'string' ? scheme : 'https'}://${host}${typeof basePath === 'string' ? basePath : ''}`
}

const bearer = (variable: string): JsonObject => ({ type: 'bearer', token: `env:${variable}` })

/** How the first security scheme of the document sends its credential. */
function authOf(json: Json, variable: string): JsonObject | undefined {
  const scheme = schemesOf(json)[0]
  const value = `env:${variable}`
  if (!scheme) return undefined
  const { type, name } = scheme
  if (type === 'apiKey' && typeof name === 'string')
    return { type: 'api_key', in: scheme['in'] === 'query' ? 'query' : 'header', name, value }
  const isBasic = type === 'basic' || (type === 'http' && scheme['scheme'] === 'basic')
  return isBasic
    ? { type: 'basic', username: `env:${variable}_USER`, password: value }
    : bearer(variable)
}

function schemesOf(json: Json): readonly JsonObject[] {
  if (!isObject(json)) return []
  const { components, securityDefinitions } = json
  const schemes = isObject(components) ? components['securitySchemes'] : securityDefinitions
  return isObject(schemes)
    ? Object.values(schemes).flatMap((scheme) => (isObject(scheme) ? [scheme] : []))
    : []
}

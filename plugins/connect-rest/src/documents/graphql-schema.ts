import { createRequire } from 'node:module'
import type * as Graphql from 'graphql'
import type {
  buildClientSchema,
  GraphQLField,
  GraphQLInputType,
  GraphQLNamedType,
  GraphQLSchema,
  IntrospectionQuery,
} from 'graphql'
import {
  err,
  isObject,
  ok,
  trySync,
  messageOf,
  type ApiEndpoint,
  type JsonObject,
  type Result,
} from '@amodal/sdk'
import { textStart } from '@amodal/sdk/data'
import { parseText } from './parse-text.ts'
import type { ParsedDocument } from './parsed-document.ts'

/** Loaded by the first GraphQL schema: a start without any need not wait for its hundred files. */
const graphql = (): typeof Graphql => createRequire(import.meta.url)('graphql') as typeof Graphql

/** Reads the fields of queries and mutations from GraphQL SDL. */
export function readSdl(text: string): Result<ParsedDocument, string> {
  const schema = trySync(
    () =>
      graphql().buildSchema(text, { noLocation: true, assumeValidSDL: true, assumeValid: true }),
    messageOf,
  )
  return schema.ok ? ok(documentOf(schema.value)) : err(schema.error)
}

/** The same from the answer to an introspection query, with or without `data` around it. */
export function readIntrospection(document: JsonObject): Result<ParsedDocument, string> {
  // it says itself what is missing
  const inner = (document['data'] ?? document) as unknown as Parameters<typeof buildClientSchema>[0]
  const schema = trySync(() => graphql().buildClientSchema(inner, { assumeValid: true }), messageOf)
  return schema.ok ? ok(documentOf(schema.value)) : err(schema.error)
}

/** What a service is asked for its schema. */
export const introspectionQuery = (): string => graphql().getIntrospectionQuery()

/** The schema in the answer to an introspection query, as a person reads and compares it. */
export function sdlOf(answer: string): Result<string, string> {
  const json = parseText(answer)
  if (!json.ok) return json
  const data = isObject(json.value) ? (json.value['data'] ?? json.value) : undefined
  const { buildClientSchema, printSchema } = graphql()
  return trySync(
    // It says itself what is missing.
    () =>
      `${printSchema(buildClientSchema(data as unknown as IntrospectionQuery, { assumeValid: true }))}\n`,
    messageOf,
  )
}

function documentOf(schema: GraphQLSchema): ParsedDocument {
  const fields = (
    type:
      | { getFields(): Readonly<Record<string, GraphQLField<unknown, unknown>>> }
      | null
      | undefined,
    method: string,
  ): readonly ApiEndpoint[] =>
    Object.values(type?.getFields() ?? {}).map((field) => endpointOf(method, field))
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].map(
    (type) => type?.name,
  )
  const types = Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith('__') && !roots.includes(name))
    .flatMap((type) => {
      const text = typeText(type, schema)
      return text === undefined ? [] : [[type.name, text] as const]
    })
  return {
    title: '',
    kind: 'GraphQL',
    endpoints: [
      ...fields(schema.getQueryType(), 'QUERY'),
      ...fields(schema.getMutationType(), 'MUTATION'),
    ],
    types: Object.fromEntries(types),
  }
}

/** Fields of the largest types of public APIs. */
const MOST_FIELDS = 200

/** What a type holds; nothing of those that every schema has. */
function typeText(type: GraphQLNamedType, schema: GraphQLSchema): string | undefined {
  const { isEnumType, isInputObjectType, isInterfaceType, isObjectType, isUnionType } = graphql()
  const cut = (parts: readonly string[], between: string): string =>
    `${parts.slice(0, MOST_FIELDS).join(between)}${parts.length > MOST_FIELDS ? `${between}…` : ''}`
  if (isEnumType(type))
    return cut(
      type.getValues().map(({ name }) => name),
      ' | ',
    )
  if (isUnionType(type))
    return cut(
      type.getTypes().map(({ name }) => name),
      ' | ',
    )
  if (isInputObjectType(type))
    return `{ ${cut(
      Object.values(type.getFields()).map((field) => `${field.name}: ${String(field.type)}`),
      ', ',
    )} }`
  if (!isObjectType(type) && !isInterfaceType(type)) return undefined
  const fields = `{ ${cut(
    Object.values(type.getFields()).map(
      ({ name, args, type: of }) =>
        `${name}${args.length === 0 ? '' : `(${args.map((one) => `${one.name}: ${String(one.type)}`).join(', ')})`}: ${String(of)}`,
    ),
    ', ',
  )} }`
  return isInterfaceType(type)
    ? `${fields} of ${cut(
        schema.getPossibleTypes(type).map(({ name }) => name),
        ' | ',
      )}`
    : fields
}

function endpointOf(
  method: string,
  { name, description, args, type, deprecationReason }: GraphQLField<unknown, unknown>,
): ApiEndpoint {
  const summary = textStart(description?.trim().replaceAll(/\s+/g, ' ') ?? '', 160)
  return {
    method,
    path: name,
    summary: `${summary}${summary === '' ? '' : ' '}→ ${String(type)}`,
    tags: [],
    gives: String(type),
    parameters: args.map((argument) => ({
      name: argument.name,
      in: 'argument',
      type: inputText(argument.type, 0),
      ...(graphql().isNonNullType(argument.type) && { required: true as const }),
      ...(argument.description
        ? { description: textStart(argument.description.trim().replaceAll(/\s+/g, ' '), 160) }
        : {}),
    })),
    ...(deprecationReason != null && { deprecated: true as const }),
  }
}

function inputText(type: GraphQLInputType, level: number): string {
  const { isEnumType, isInputObjectType, isListType, isNonNullType } = graphql()
  if (isNonNullType(type)) return `${inputText(type.ofType, level)}!`
  if (isListType(type)) return `[${inputText(type.ofType, level)}]`
  if (isEnumType(type))
    return type
      .getValues()
      .slice(0, 12)
      .map(({ name }) => name)
      .join(' | ')
  if (!isInputObjectType(type) || level > 1) return type.name
  return `{ ${Object.values(type.getFields())
    .slice(0, 30)
    .map((field) => `${field.name}: ${inputText(field.type, level + 1)}`)
    .join(', ')} }`
}

import {
  err,
  failure,
  ok,
  seenBy,
  sessionId,
  trySync,
  type AgentBundle,
  type Failure,
  type KnowledgeDocument,
  type Result,
} from '@amodal/sdk'
import { z } from 'zod'
import { readWith } from './agent-tools.ts'
import type { McpRequest } from './server-parts.ts'
import { transcript } from './transcript.ts'

export interface ListedResource {
  readonly uri: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType: string
}
export interface ListedTemplate extends Omit<ListedResource, 'uri'> {
  readonly uriTemplate: string
}
export interface ReadResource {
  readonly mimeType: string
  readonly text: string
}

const BASE = 'amodal://'
const MARKDOWN = 'text/markdown'
const JSON_TYPE = 'application/json'
const pathOf = (name: string): string => name.split('/').map(encodeURIComponent).join('/')

export const knowledgeUri = ({ name }: Pick<KnowledgeDocument, 'name'>): string =>
  `${BASE}knowledge/${pathOf(name)}`

/** The agent's files as the client may know them. */
export function bundleFor({ caller, parts }: McpRequest): AgentBundle | undefined {
  const { agent, generation } = parts
  const bundle = agent.bundle()
  return bundle && seenBy(bundle, caller.roles ?? [], generation().scope)
}

/** Documents of the agent's knowledge, and its stores. */
export function resourcesOf(request: McpRequest, storesSeen: boolean): readonly ListedResource[] {
  const bundle = bundleFor(request)
  if (!bundle) return []
  const documents = bundle.knowledge.map((document): ListedResource => ({
    uri: knowledgeUri(document),
    name: document.name,
    title: document.title,
    mimeType: MARKDOWN,
  }))
  const stores = storesSeen
    ? bundle.stores.map(({ name, description }): ListedResource => ({
        uri: `${BASE}stores/${pathOf(name)}`,
        name,
        ...(description !== undefined && { description }),
        mimeType: JSON_TYPE,
      }))
    : []
  return [...documents, ...stores]
}

export function templatesOf({ from }: McpRequest, storesSeen: boolean): readonly ListedTemplate[] {
  return [
    {
      uriTemplate: `${BASE}knowledge/{+name}`,
      name: 'knowledge',
      title: 'A document of the knowledge',
      mimeType: MARKDOWN,
    },
    ...(storesSeen
      ? [
          {
            uriTemplate: `${BASE}stores/{store}/{+key}`,
            name: 'store-document',
            title: 'A document of a store',
            mimeType: JSON_TYPE,
          },
        ]
      : []),
    ...(from.may('sessions')
      ? [
          {
            uriTemplate: `${BASE}sessions/{session_id}`,
            name: 'session',
            title: 'A session with the agent',
            mimeType: JSON_TYPE,
          },
        ]
      : []),
  ]
}

/** @returns `NOT_FOUND`, the same for what is not there and for what the client may not know */
export async function readResource(
  uri: string,
  request: McpRequest,
  storesSeen: boolean,
): Promise<Result<ReadResource, Failure>> {
  const [kind, ...names] = partsOf(uri)
  const [first, ...rest] = names
  if (first === undefined) return err(NOT_THERE)
  switch (kind) {
    case 'knowledge': {
      const document = bundleFor(request)?.knowledge.find(({ name }) => name === names.join('/'))
      return document ? ok({ mimeType: MARKDOWN, text: document.body }) : err(NOT_THERE)
    }
    case 'stores':
      return storesSeen ? readStore(first, rest.join('/'), request) : err(NOT_THERE)
    case 'sessions': {
      const { agent, ctx, from } = request
      if (!from.may('sessions')) return err(NOT_THERE)
      const view = await agent.session(sessionId(first), ctx.mcpReq.signal)
      return view.ok
        ? ok({ mimeType: JSON_TYPE, text: JSON.stringify(transcript(view.value)) })
        : err(NOT_THERE)
    }
    default:
      return err(NOT_THERE)
  }
}

const NOT_THERE = failure('NOT_FOUND', 'there is no such resource')

/** What the tool says of a document that is not there. */
const Missing = z.object({ found: z.literal(false) })

/** Through the tool that the agent reads it with: the same guards and the same redaction. */
async function readStore(
  store: string,
  key: string,
  request: McpRequest,
): Promise<Result<ReadResource, Failure>> {
  if (bundleFor(request)?.stores.some(({ name }) => name === store) !== true) return err(NOT_THERE)
  const read = await readWith('query_store', { store, ...(key !== '' && { key }) }, request)
  if (!read.ok) return read
  const known = trySync(
    () => Missing.parse(JSON.parse(read.value)),
    () => undefined,
  )
  return known.ok ? err(NOT_THERE) : ok({ mimeType: JSON_TYPE, text: read.value })
}

function partsOf(uri: string): readonly string[] {
  if (!uri.startsWith(BASE)) return []
  try {
    return uri.slice(BASE.length).split('/').map(decodeURIComponent)
  } catch {
    return []
  }
}

/** Names that begin with what somebody has typed. */
export function completions(
  request: McpRequest,
  template: string,
  argument: string,
  typed: string,
): readonly string[] {
  const bundle = bundleFor(request)
  const names = (): readonly string[] => {
    if (template.startsWith(`${BASE}knowledge/`) && argument === 'name')
      return bundle?.knowledge.map(({ name }) => name) ?? []
    if (template.startsWith(`${BASE}stores/`) && argument === 'store')
      return bundle?.stores.map(({ name }) => name) ?? []
    return []
  }
  return names().filter((name) => name.startsWith(typed))
}

/** Documents whose text is another one, or that are there no more. */
export function changedDocuments(
  before: AgentBundle | undefined,
  after: AgentBundle,
): readonly string[] {
  const bodies = new Map(after.knowledge.map((document) => [document.name, document.body]))
  return (before?.knowledge ?? [])
    .filter(({ name, body }) => bodies.get(name) !== body)
    .map(knowledgeUri)
}

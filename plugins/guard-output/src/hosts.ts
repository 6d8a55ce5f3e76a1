import { isList, isObject, type AgentBundle, type Json, type RunContext } from '@amodal/sdk'
import { hostsIn, isBelow } from './links.ts'

/** Hosts that the agent's own files name, once for each bundle. */
const ofBundle = new WeakMap<AgentBundle, ReadonlySet<string>>()

/** Hosts of each message that a person wrote: messages do not change. */
const ofMessage = new WeakMap<RunContext['messages'][number], readonly string[]>()

/**
 * Whether the person or the agent's files have named a host. Called only for texts with a link.
 */
export function isKnownHost(
  host: string,
  ctx: Pick<RunContext, 'bundle' | 'messages'>,
  more: readonly string[],
): boolean {
  const name = host.toLowerCase()
  const known = hostsOf(ctx.bundle)
  // The host itself, and each that it stands below.
  for (let at = 0; ;) {
    if (known.has(name.slice(at))) return true
    const dot = name.indexOf('.', at)
    if (dot === -1) break
    at = dot + 1
  }
  return (
    more.some((one) => isBelow(name, one.toLowerCase())) ||
    ctx.messages.some((message) => hostsOfMessage(message).includes(name))
  )
}

function hostsOfMessage(message: RunContext['messages'][number]): readonly string[] {
  if (message.role !== 'user') return []
  const known =
    ofMessage.get(message) ??
    message.content.flatMap((part) => (part.type === 'text' ? hostsIn(part.text) : []))
  ofMessage.set(message, known)
  return known
}

function hostsOf(bundle: AgentBundle): ReadonlySet<string> {
  const known = ofBundle.get(bundle)
  if (known) return known
  const { manifest, instructions, skills, knowledge, stores, files, parts } = bundle
  const texts = [
    ...textsOf(manifest.raw),
    instructions?.body ?? '',
    ...skills.map(({ body }) => body),
    ...knowledge.map(({ body }) => body),
    ...stores.flatMap(({ raw }) => [...textsOf(raw)]),
    ...files.map(({ text }) => text),
    ...textsOf(parts['connections'] ?? null),
  ]
  const hosts = new Set(texts.flatMap(hostsIn))
  ofBundle.set(bundle, hosts)
  return hosts
}

function* textsOf(value: Json): Generator<string> {
  if (typeof value === 'string') yield value
  else if (isList(value)) for (const inner of value) yield* textsOf(inner)
  else if (isObject(value)) for (const inner of Object.values(value)) yield* textsOf(inner)
}

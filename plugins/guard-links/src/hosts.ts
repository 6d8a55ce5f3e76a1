import {
  isList,
  isObject,
  type AgentBundle,
  type Json,
  type Message,
  type RunContext,
} from '@amodal/sdk'

/** Hosts that the agent's own files name, once for each bundle. */
const ofBundle = new WeakMap<AgentBundle, ReadonlySet<string>>()

const HOSTS = /\bhttps?:\/\/([\w.-]+)/gi

/** Hosts that a text names. */
const hostsIn = (text: string): readonly string[] =>
  [...text.matchAll(HOSTS)].flatMap(([, host = '']) => (host === '' ? [] : [host.toLowerCase()]))

/** A host, or one that stands below it. */
export const isBelow = (host: string, known: string): boolean =>
  host === known || host.endsWith(`.${known}`)

/** The hosts that somebody named: the person of a run, the agent's files, the configuration. */
export class KnownHosts {
  readonly #listed: readonly string[]
  readonly #ofMessages = new Set<string>()
  #messages: readonly Message[] = []

  /** @param listed hosts of the configuration */
  constructor(listed: readonly string[]) {
    this.#listed = listed.map((host) => host.toLowerCase())
  }

  has(host: string, { bundle, messages }: Pick<RunContext, 'bundle' | 'messages'>): boolean {
    const name = host.toLowerCase()
    const ofFiles = hostsOf(bundle)
    return (
      parents(name).some((one) => ofFiles.has(one)) ||
      this.#listed.some((one) => isBelow(name, one)) ||
      this.#hostsOf(messages).has(name)
    )
  }

  /** Of each message that a person wrote; those that were read are not read again. */
  #hostsOf(messages: readonly Message[]): ReadonlySet<string> {
    if (messages === this.#messages) return this.#ofMessages
    const known = new Set(this.#messages)
    for (const message of messages) {
      if (known.has(message) || message.role !== 'user') continue
      for (const part of message.content)
        if (part.type === 'text') for (const host of hostsIn(part.text)) this.#ofMessages.add(host)
    }
    this.#messages = messages
    return this.#ofMessages
  }
}

/** The host itself, and each that it stands below. */
const parents = (host: string): readonly string[] => {
  const labels = host.split('.')
  return labels.map((_, at) => labels.slice(at).join('.'))
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

import { matchesWildcard } from '@amodal/sdk'
import { compare } from '@amodal/sdk/files'
import { z } from 'zod'

/** What a package of parts reaches, by kind; `*` in an item is any run of characters. */
export const capabilityLists = z.strictObject({
  /** Names of connections that it brings, or that its tools use. */
  connections: z.array(z.string()),
  /** Hosts with their port; `env:NAME` where the agent's owner sets the address. */
  hosts: z.array(z.string()),
  /** Names of tools that it brings, or that its agents may use. */
  tools: z.array(z.string()),
  /** Variables of the environment. */
  secrets: z.array(z.string()),
  /** What it does beyond texts, see {@link EFFECTS}. */
  effects: z.array(z.string()),
})
export type PartCapabilities = z.output<typeof capabilityLists>

/** The kinds of capabilities, with what a person reads for each. */
export const KINDS: Readonly<Record<keyof PartCapabilities, string>> = {
  connections: 'uses the connections',
  hosts: 'sends requests to',
  tools: 'has the tools',
  secrets: 'reads the variables',
  effects: 'may',
}

/** The effects, with what a person reads for each. */
export const EFFECTS: Readonly<Record<string, string>> = {
  write: 'change something in other systems',
  code: 'run code in isolated processes',
  process: 'start programs on this machine (MCP servers)',
  page: 'show pages to people',
  schedule: 'run without a person, on a schedule or an event',
  'unattended-write': 'change something while no person is there',
}

export const NO_CAPABILITIES: PartCapabilities = {
  connections: [],
  hosts: [],
  tools: [],
  secrets: [],
  effects: [],
}

// a literal of that type has its keys
const KIND_NAMES = Object.keys(KINDS) as (keyof PartCapabilities)[]

/** The same lists for each kind, made by a function. */
export function mapKinds(
  listOf: (kind: keyof PartCapabilities) => readonly string[],
): PartCapabilities {
  const sorted = (kind: keyof PartCapabilities): string[] =>
    [...new Set(listOf(kind))].toSorted(compare)
  return {
    connections: sorted('connections'),
    hosts: sorted('hosts'),
    tools: sorted('tools'),
    secrets: sorted('secrets'),
    effects: sorted('effects'),
  }
}

/** An item of a capability with its kind. */
export interface Capability {
  readonly kind: keyof PartCapabilities
  readonly item: string
}

/** Whether a list of capabilities covers an item. */
export const allows = (
  capabilities: PartCapabilities,
  kind: keyof PartCapabilities,
  item: string,
): boolean => capabilities[kind].some((pattern) => matchesWildcard(pattern, item))

/** What `wanted` has and `granted` does not cover. */
export const beyond = (
  wanted: PartCapabilities,
  granted: PartCapabilities,
): readonly Capability[] =>
  KIND_NAMES.flatMap((kind) =>
    wanted[kind].filter((item) => !allows(granted, kind, item)).map((item) => ({ kind, item })),
  )

/** `sends requests to api.crm.example` */
export const capabilityText = ({ kind, item }: Capability): string =>
  `${KINDS[kind]} ${kind === 'effects' ? (EFFECTS[item] ?? item) : item}`

/** Lines of a summary, one a kind that is not empty. */
export const capabilityLines = (capabilities: PartCapabilities): readonly string[] =>
  KIND_NAMES.flatMap((kind) => {
    const items = capabilities[kind].map((item) =>
      kind === 'effects' ? (EFFECTS[item] ?? item) : item,
    )
    return items.length === 0 ? [] : [`${KINDS[kind]} ${items.join(', ')}`]
  })

import type { AgentBundle, JsonObject } from '@amodal/sdk'
import { jsonValue } from '@amodal/sdk/data'
import {
  didYouMean,
  Issues,
  manifestFile,
  shaped,
  warnUnknown,
  type JsonFile,
} from '@amodal/sdk/files'
import { beginningState, problemsOfText, statePropertiesOf } from '@amodal/plugin-live-state/tokens'
import { agentsOf, type SubagentDefinition } from '@amodal/plugin-subagents/tokens'
import { z } from 'zod'

/** The part of the bundle where templates stand. */
const PART = 'panels'
const NAME = /^[A-Za-z][\w-]{0,63}$/
/** Members of a panel: all of them are read at once, and asked at once. */
const MOST_MEMBERS = 200

const template = z.looseObject({
  description: z.string().max(2_000).default(''),
  agent: z.string().min(1).max(64).nullable().default(null),
  instructions: z.string().min(1).max(100_000).nullable().default(null),
  state: z.record(z.string(), jsonValue).default({}),
  set: z.array(z.string().min(1)).default([]),
  tools: z.array(z.string().min(1).max(100)).max(500).nullable().default(null),
  maxMembers: z.int().min(1).max(MOST_MEMBERS).default(50),
  parallel: z.int().min(1).max(MOST_MEMBERS).default(8),
})

/** What the members of a panel are made from. */
export interface Template extends JsonObject {
  readonly name: string
  readonly description: string
  /** In place of the agent's own; with `{{ expressions }}` over the member's state. */
  readonly instructions: string | null
  /** What the state of a member begins with, beside the defaults of its properties. */
  readonly state: JsonObject
  /** Properties of the state that whoever makes a member may give. */
  readonly set: readonly string[]
  /** Names of tools, `*` for any run of characters; all of the agent's where it is `null`. */
  readonly tools: readonly string[] | null
  readonly maxMembers: number
  /** Members that work at the same time where all are asked together. */
  readonly parallel: number
}

/** The templates of an agent's files, by their names. */
export function templatesOf(bundle: AgentBundle | undefined): readonly Template[] {
  const part = bundle && (bundle.unrestricted ?? bundle).parts[PART]
  return Array.isArray(part) ? (part as readonly Template[]) : [] // `readTemplates` made it
}

export const templateOf = (bundle: AgentBundle | undefined, name: string): Template | undefined =>
  templatesOf(bundle).find((one) => one.name === name)

/**
 * Reads `panels` of `amodal.json`; every problem is named with its line.
 *
 * @param bundle with the declaration of its state
 * @returns the bundle with its templates, or `undefined` where it has none
 */
export async function readTemplates(bundle: AgentBundle): Promise<AgentBundle | undefined> {
  if (bundle.manifest.raw['panels'] === undefined) return undefined
  const issues = new Issues()
  const json = await manifestFile(bundle)
  const read = shaped(z.record(z.string(), template), json, ['panels'], issues) ?? {}
  const templates = Object.entries(read).map(([name, given]): Template => {
    warnUnknown(json, ['panels', name], Object.keys(template.shape), issues)
    const { agent, description, instructions, state, set, tools, maxMembers, parallel } = given
    const definition = agentOf(name, agent, { bundle, json, issues })
    return {
      name,
      description: description || (definition?.description ?? ''),
      instructions: instructions ?? definition?.prompt ?? null,
      state,
      set,
      tools: tools ?? definition?.tools ?? null,
      maxMembers,
      parallel,
    }
  })
  for (const one of templates) check(one, { bundle, json, issues })
  return {
    ...bundle,
    issues: [...bundle.issues, ...issues.sorted()],
    parts: { ...bundle.parts, ...(issues.errors === 0 && { [PART]: templates }) },
  }
}

interface Reading {
  readonly bundle: AgentBundle
  readonly json: JsonFile
  readonly issues: Issues
}

/** The agent of `agents/` that a template takes its instructions and tools from. */
function agentOf(
  panel: string,
  agent: string | null,
  { bundle, json, issues }: Reading,
): SubagentDefinition | undefined {
  if (agent === null) return undefined
  const agents = agentsOf(bundle)
  const found = agents.find(({ name }) => name === agent)
  if (found) return found
  const names = agents.map(({ name }) => name)
  const meant = didYouMean(agent, names)
  issues.error('BAD_REPO', `\`panels.${panel}.agent\`: there is no agent "${agent}" in agents/`, {
    file: json.file,
    line: json.lineOf(['panels', panel, 'agent']),
    fix: meant === undefined ? `there are ${names.join(', ') || 'none'}` : `write "${meant}"`,
  })
  return undefined
}

function check(
  { name, instructions, state, set }: Template,
  { bundle, json, issues }: Reading,
): void {
  const tell = (message: string, path: readonly string[], fix: string): void =>
    issues.error('BAD_REPO', message, { file: json.file, line: json.lineOf(path), fix })
  const at = ['panels', name]
  if (!NAME.test(name))
    tell(
      `"${name}" is no name for a panel`,
      at,
      'use letters, digits, _ and -, with a letter first',
    )
  for (const problem of instructions === null ? [] : problemsOfText(bundle, instructions))
    tell(
      `\`panels.${name}.instructions\`: ${problem}`,
      [...at, 'instructions'],
      'write CEL over `state`, `principal` and `now` between {{ and }}',
    )
  const begun = beginningState(bundle, state)
  if (!begun.ok)
    tell(
      `\`panels.${name}.state\`: ${begun.error.message}`,
      [...at, 'state'],
      'see `state.properties`',
    )
  const properties = statePropertiesOf(bundle) ?? []
  for (const property of set.filter((one) => !properties.includes(one)))
    tell(
      `\`panels.${name}.set\`: the state has no property "${property}"`,
      [...at, 'set'],
      `there are ${properties.join(', ') || 'none'}`,
    )
}

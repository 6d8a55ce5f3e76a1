import {
  defineTool,
  type JsonObject,
  type RunContext,
  type ToolDefinition,
  type ToolList,
} from '@amodal/sdk'
import { textStart } from '@amodal/sdk/data'
import { z } from 'zod'
import { tokensOf } from './sizes.ts'
import { listedKey } from './tokens.ts'

const FIND = 'find_tools'
/** In the session's state, one key per tool, so that two concurrent searches do not overwrite each
 * other. */
const FOUND = listedKey('')
const MOST_FOUND = 8
/** Of what sessions have found, in memory. */
const MOST_LISTS = 200
/** Of a description, in a list. */
const MOST_CHARS = 200

/** A list of tools, divided once. */
interface Divided {
  readonly unlisted: ReadonlyMap<string, ToolDefinition>
  readonly tools: readonly ToolDefinition[]
  readonly lists: Map<string, ToolList>
}

/**
 * Lists as many tools as a budget holds; the others are found by what they do, and are listed from
 * then on, behind all that was listed before. A list that fits stays as it is.
 *
 * @param budget tokens of all tools that are listed with every call
 */
export function toolFinder(
  budget: number,
): (list: ToolList, ctx: Pick<RunContext, 'sessionState'>) => ToolList | undefined {
  const known = new WeakMap<ToolList['tools'], Divided | 'fits'>()
  return (list, { sessionState }) => {
    const divided = known.get(list.tools) ?? divide(list.tools, budget)
    known.set(list.tools, divided)
    if (divided === 'fits') return undefined
    const found = Object.keys(sessionState).flatMap((key) =>
      key.startsWith(FOUND) ? (divided.unlisted.get(key.slice(FOUND.length)) ?? []) : [],
    )
    const key = found.map(({ name }) => name).join(' ')
    const made = divided.lists.get(key) ?? listed(list, divided, found)
    if (divided.lists.size >= MOST_LISTS) divided.lists.clear()
    divided.lists.set(key, made)
    return made
  }
}

function divide(tools: readonly ToolDefinition[], budget: number): Divided | 'fits' {
  const visible = tools.filter(({ hidden }) => !hidden)
  if (visible.reduce((sum, tool) => sum + toolTokens(tool), 0) <= budget) return 'fits'
  let left = budget / 2 // the rest is for those that are found
  const unlisted = new Map(
    visible
      .filter((tool) => tool.internal !== true && (left -= toolTokens(tool)) < 0)
      .map((tool) => [tool.name, tool]),
  )
  return {
    unlisted,
    tools: [...tools.filter(({ name }) => !unlisted.has(name)), findTools(unlisted)],
    lists: new Map(),
  }
}

function listed(
  { aliases }: ToolList,
  { tools, unlisted }: Divided,
  found: readonly ToolDefinition[],
): ToolList {
  const names = new Set(found.map(({ name }) => name))
  const rest = [...unlisted.values()].filter(({ name }) => !names.has(name))
  return {
    tools: [...tools, ...found, ...rest],
    aliases,
    unlisted: new Set(rest.map(({ name }) => name)),
  }
}

const toolTokens = ({ name, description, parameters }: ToolDefinition): number =>
  tokensOf(JSON.stringify({ name, description, parameters }).length)

function findTools(unlisted: ReadonlyMap<string, ToolDefinition>): ToolDefinition {
  const words = new Map(
    [...unlisted.values()].map((tool) => [
      tool,
      { name: wordsIn(tool.name), description: wordsIn(tool.description) },
    ]),
  )
  return defineTool({
    name: FIND,
    description: `Finds tools by what they do. ${unlisted.size} tools are not listed here (${groupsOf([...unlisted.keys()])}); those that are found can be called from your next turn on.`,
    readOnly: true,
    internal: true,
    input: z.object({
      query: z.string().min(1).max(500).describe('What the tool should do, or its name'),
    }),
    execute: async ({ query }) => {
      const asked = wordsIn(query)
      const ranked = [...words].flatMap(([tool, { name, description }]) => {
        const score = [...asked].reduce(
          (sum, word) => sum + (name.has(word) ? 3 : 0) + (description.has(word) ? 1 : 0),
          tool.name === query ? 100 : 0,
        )
        return score > 0 ? [{ tool, score }] : []
      })
      const found = ranked
        .sort((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1))
        .slice(0, MOST_FOUND)
        .map(({ tool }) => tool)
      if (found.length === 0)
        return { status: 'success', output: `No tool fits "${query}". Try other words.` }
      return {
        status: 'success',
        output: found
          .map(({ name, description }) => `${name}: ${textStart(description, MOST_CHARS)}`)
          .join('\n'),
        sessionState: Object.fromEntries(
          found.map(({ name }) => [listedKey(name), true]),
        ) satisfies JsonObject,
      }
    },
  })
}

/**
 * Words without endings of number and case: `list_open-issues` and "open issue" have two in common.
 */
const wordsIn = (text: string): ReadonlySet<string> =>
  new Set(
    (
      text
        .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu) ?? []
    ).map((word) => (word.length > 3 ? word.replace(/(?:es|s)$/, '') : word)),
  )

/** `github 120, jira 40`: by how names begin. */
function groupsOf(names: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const name of names) {
    const [group = name] = name.split(name.includes('__') ? '__' : '_')
    counts.set(group, (counts.get(group) ?? 0) + 1)
  }
  const largest = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 10)
  return `${largest.map(([group, count]) => `${group} ${count}`).join(', ')}${counts.size > largest.length ? ' and others' : ''}`
}

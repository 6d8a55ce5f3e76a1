import { matchesWildcard } from '@amodal/sdk'
import type { CheckKind, ObservedCall } from '../definition.ts'
import { listText, rangeText } from './label.ts'
import { compileSchema } from './schema.ts'
import type { Verdict } from './verdict.ts'

type Kind<K extends CheckKind['kind']> = Extract<CheckKind, { readonly kind: K }>

/**
 * Whether a pattern names a call: the tool alone, whoever calls it, or `agent/tool` for the calls
 * of a sub-agent, with as many of the agents around it as wanted.
 */
export function namesCall(pattern: string, { name, agents }: ObservedCall): boolean {
  if (matchesWildcard(pattern, name)) return true
  return agents.some((_, index) =>
    matchesWildcard(pattern, [...agents.slice(index), name].join('/')),
  )
}

/** `request`, or `researcher/request`. */
const nameOf = ({ name, agents }: ObservedCall): string => [...agents, name].join('/')

/** Each name once, with how often: `request (2), query_store`. */
function callsText(calls: readonly ObservedCall[]): string {
  const counts = new Map<string, number>()
  for (const call of calls) counts.set(nameOf(call), (counts.get(nameOf(call)) ?? 0) + 1)
  const names = [...counts].map(([name, count]) => (count === 1 ? name : `${name} (${count})`))
  return names.length === 0 ? 'called nothing' : `called ${names.join(', ')}`
}

/** Calls count when they were tried, also those that failed or were denied. */
export function checkTools(
  { tools, negated }: Kind<'tools'>,
  calls: readonly ObservedCall[],
): Verdict {
  const isCalled = (tool: string): boolean => calls.some((call) => namesCall(tool, call))
  const wrong = tools.filter((tool) => isCalled(tool) === negated)
  const problem = `${negated ? 'not allowed' : 'missing'} ${listText(wrong)}`
  const reason = wrong.length === 0 ? callsText(calls) : `${callsText(calls)}; ${problem}`
  return { passed: wrong.length === 0, reason }
}

/** Looks at the agent's own calls, and at those of sub-agents that a name such as `a/b` names. */
export function checkOrder(
  { mode, tools }: Kind<'tool_order'>,
  calls: readonly ObservedCall[],
): Verdict {
  const ofAgents = tools.filter((tool) => tool.includes('/'))
  const considered = calls.filter(
    (call) => call.agents.length === 0 || ofAgents.some((tool) => namesCall(tool, call)),
  )
  const names = considered.map(nameOf)
  const reason = names.length === 0 ? 'called nothing' : `called ${names.join(', ')}`
  switch (mode) {
    case 'exact':
      return { passed: fitInTurn(tools, considered), reason }
    case 'any_order':
      return { passed: fitInAnyOrder(tools, considered), reason }
    case 'in_order': {
      const found = inOrder(tools, considered)
      const next = tools[found]
      if (next === undefined) return { passed: true, reason }
      const last = tools[found - 1]
      const problem = `${next} is missing${last === undefined ? '' : ` after ${last}`}`
      return { passed: false, reason: `${reason}; ${problem}` }
    }
    default:
      return mode satisfies never
  }
}

const fitInTurn = (tools: readonly string[], calls: readonly ObservedCall[]): boolean =>
  tools.length === calls.length && calls.every((call, index) => namesCall(tools[index] ?? '', call))

/** How many of the names are found one after another. */
function inOrder(tools: readonly string[], calls: readonly ObservedCall[]): number {
  let found = 0
  for (const call of calls) {
    const next = tools[found]
    if (next !== undefined && namesCall(next, call)) found++
  }
  return found
}

/**
 * Whether names and calls can be paired. A call that fits several names, as `*` does, is moved to
 * another one where that helps (augmenting paths in a bipartite graph).
 */
function fitInAnyOrder(tools: readonly string[], calls: readonly ObservedCall[]): boolean {
  if (tools.length !== calls.length) return false
  const toolOf = new Map<ObservedCall, string>()
  const pair = (tool: string, tried: Set<ObservedCall>): boolean => {
    for (const call of calls) {
      if (tried.has(call) || !namesCall(tool, call)) continue
      tried.add(call)
      const other = toolOf.get(call)
      if (other === undefined || pair(other, tried)) {
        toolOf.set(call, tool)
        return true
      }
    }
    return false
  }
  return tools.every((tool) => pair(tool, new Set()))
}

/** Whether one of the calls has such arguments; otherwise what is wrong with the last one. */
export function checkArguments(
  { tool, schema }: Kind<'tool_args'>,
  calls: readonly ObservedCall[],
): Verdict {
  const own = calls.filter((call) => namesCall(tool, call))
  if (own.length === 0) return { passed: false, reason: `${callsText(calls)}; missing ${tool}` }
  const test = compileSchema(schema)
  if (!test.ok) return { passed: false, reason: `the schema cannot be used: ${test.error}` }
  const problems = own.map(({ args }) => test.value(args))
  const at = problems.indexOf(undefined)
  const which = `of ${own.length} ${own.length === 1 ? 'call' : 'calls'}`
  return at === -1
    ? { passed: false, reason: `none ${which} fits; the last one: ${problems.at(-1) ?? ''}` }
    : { passed: true, reason: `number ${at + 1} ${which} fits` }
}

/** Calls that change something count when they were tried. */
export function checkWrites(
  { least, most }: Kind<'writes'>,
  calls: readonly ObservedCall[],
): Verdict {
  const own = calls.filter(({ writes }) => writes)
  const count = own.length
  const which = count === 0 ? '' : ` (${callsText(own)})`
  const reason = `${count} ${count === 1 ? 'write' : 'writes'}${which} of ${rangeText(least, most)}`
  return { passed: count >= least && count <= (most ?? Infinity), reason }
}

/** Whether a person was asked about each of the tools; with none, about no tool at all. */
export function checkApprovals(
  { tools }: Kind<'approvals'>,
  approvals: readonly string[],
): Verdict {
  const seen = approvals.length === 0 ? 'none asked for' : `asked for ${listText(approvals)}`
  if (tools.length === 0) return { passed: approvals.length === 0, reason: seen }
  const missing = tools.filter((tool) => !approvals.some((name) => matchesWildcard(tool, name)))
  return {
    passed: missing.length === 0,
    reason: missing.length === 0 ? seen : `${seen}; missing ${listText(missing)}`,
  }
}

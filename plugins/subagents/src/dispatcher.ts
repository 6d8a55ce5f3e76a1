import {
  type CallId,
  type ChildDraft,
  type ChildOutcome,
  type Dispatcher,
  type JsonObject,
  NO_USAGE,
  type OpenChild,
  type RunContext,
  sessionId,
  type SessionId,
  sha256,
} from '@amodal/sdk'
import { didYouMean } from '@amodal/sdk/files'
import { type Child, childOf } from './child.ts'
import { definitionsOf, find, MOST_LEVELS, TASK } from './definition.ts'
import { isNames } from './dispatch-task.ts'
import { type Around, ChildFollower } from './child-follower.ts'

interface DispatcherParts extends Around {
  /** Sub-agents of one run that work at the same time. */
  readonly parallel: number
}

/**
 * Runs sub-agents in sessions of their own: after a crash each resumes by itself, and its parent
 * only subscribes to it again.
 */
export function dispatcher(around: DispatcherParts): Dispatcher {
  return {
    open(calls, ctx) {
      const parent = childOf(ctx)
      if ((parent?.left ?? MOST_LEVELS + 1) <= 1)
        return calls.map(({ call }) => ({ call, refused: refusalOf(parent) }))
      return calls.map(({ call, args }) => draft(call, args, parent, ctx))
    },

    async run(children, ctx) {
      const outcomes: ChildOutcome[] = []
      const waiting = [...children]
      const work = async (): Promise<void> => {
        for (let child = waiting.shift(); child; child = waiting.shift())
          outcomes.push(await one(child, ctx, around))
      }
      await Promise.all(Array.from({ length: Math.min(around.parallel, children.length) }, work))
      return outcomes
    },

    async cancel({ child }, { tenant, principal, roles }) {
      await around.agent.as({ tenant, principal, roles, delegated: true }).cancel(child)
    },
  }
}

function refusalOf(parent: Child | undefined): string {
  const depth = (parent?.chain.length ?? 0) + 1
  return depth >= MOST_LEVELS
    ? `This agent is ${depth} levels below the one that people talk to, and there are at most ${MOST_LEVELS}: do it yourself.`
    : 'This agent may have no sub-agents of its own: do it yourself.'
}

function draft(
  call: CallId,
  { agent, prompt, tools, max_turns: turns }: JsonObject,
  parent: Child | undefined,
  ctx: RunContext,
): ChildDraft {
  const definitions = definitionsOf(ctx.bundle)
  const name = typeof agent === 'string' ? agent : TASK
  const definition = find(definitions, name)
  if (!definition) {
    const names = [...definitions.keys()]
    const meant = didYouMean(name, names)
    return {
      call,
      refused: `There is no agent "${name}"${meant === undefined ? '' : `; did you mean "${meant}"?`} There are: ${names.join(', ')}.`,
    }
  }
  const chain = parent ? [...parent.chain, parent.agent] : []
  if (definition.name !== TASK && chain.includes(definition.name))
    return {
      call,
      refused: `The agent "${definition.name}" is at work already, and waits for this one (${[...chain, definition.name].join(' → ')}): a circle.`,
    }
  const options = {
    ...(isNames(tools) ? { tools } : {}),
    ...(typeof turns === 'number' ? { max_turns: turns } : {}),
  }
  return {
    call,
    child: childId(call, ctx),
    agent: definition.name,
    prompt: typeof prompt === 'string' ? prompt : '',
    options,
  }
}

/** The same on every try. */
const childId = (call: CallId, { tenant, session, run }: RunContext): SessionId =>
  sessionId(`sess_${sha256(JSON.stringify(['subagent', tenant, session, run, call])).slice(0, 24)}`)

async function one(open: OpenChild, ctx: RunContext, around: Around): Promise<ChildOutcome> {
  const definition = definitionsOf(ctx.bundle).get(open.agent)
  if (!definition)
    return {
      call: open.call,
      status: 'unknown',
      summary: `The agent "${open.agent}" is not there any more. Whether it did its work is unknown.`,
      usage: NO_USAGE,
    }
  const parent = childOf(ctx)
  const tools = within([
    parent?.tools,
    definition.tools,
    isNames(open.options?.['tools']) ? open.options['tools'] : undefined,
  ])
  const child: Child = {
    agent: open.agent,
    left: Math.min(definition.maxDepth, (parent?.left ?? MOST_LEVELS + 1) - 1),
    maxToolCalls: definition.maxToolCalls,
    chain: parent ? [...parent.chain, parent.agent] : [],
    ...(tools ? { tools } : {}),
  }
  return new ChildFollower(open, definition, child, ctx, around).outcome()
}

/** The intersection of the lists; `undefined` without any list. */
function within(lists: readonly (readonly string[] | undefined)[]): readonly string[] | undefined {
  const given = lists.flatMap((list) => (list ? [list] : []))
  return given.length === 0
    ? undefined
    : given.reduce((left, list) => left.filter((name) => list.includes(name)))
}

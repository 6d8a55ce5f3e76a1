import { err, ok, type AgentBundle, type Json, type ToolDefinition } from '@amodal/sdk'
import { definitionsOf } from '../definition.ts'
import { mostGrants } from './effective-grants.ts'
import { CALL_SUBAGENT, mainGrants } from './grants.ts'

/**
 * The tool that hands a task to one of the sub-agents that an agent names.
 *
 * @param names those that it may call
 */
export function callSubagent(bundle: AgentBundle, names: readonly string[]): ToolDefinition {
  const definitions = definitionsOf(bundle)
  const agents = names.flatMap((name) => definitions.get(name) ?? [])
  return {
    name: CALL_SUBAGENT,
    description: `Hands a task to a sub-agent that works on it alone, and returns its answer. Several calls in one reply run at the same time. It knows nothing of this conversation: put all it needs into the task and its input.
Sub-agents:
${agents.map(({ name, description }) => `- ${name}: ${description}`).join('\n')}`,
    parameters: {
      type: 'object',
      properties: {
        name: { type: 'string', enum: agents.map(({ name }) => name) },
        task: { type: 'string', description: 'The task, with everything that is needed to do it' },
        input: { description: 'Data for the task, as JSON' },
      },
      required: ['name', 'task'],
      additionalProperties: false,
    },
    parse({ name = null, task = null, input = null }) {
      if (typeof name !== 'string' || !names.includes(name))
        return err(`name: must be one of ${names.join(', ')}`)
      if (typeof task !== 'string' || task.trim() === '') return err('task: write the task')
      return ok({ agent: name, prompt: promptOf(task, input) })
    },
    readOnly: true, // it changes nothing itself: what a sub-agent does is judged where it does it
    dispatches: true,
    runningLabel: 'Working on a task',
    completedLabel: 'Worked on a task',
    execute: () =>
      Promise.resolve({
        status: 'error',
        message: 'A sub-agent is called by the model itself, and not by another tool.',
      }),
  }
}

/** The tool with every sub-agent, where an agent of the bundle names some. */
export function callableSubagents(bundle: AgentBundle): readonly ToolDefinition[] {
  const definitions = [...definitionsOf(bundle).values()]
  const grants = [mainGrants(bundle), ...definitions.map((one) => one.grants)]
  const names = new Set(grants.flatMap((one) => (one ? mostGrants(one).subagents : [])))
  return names.size === 0 ? [] : [callSubagent(bundle, [...names])]
}

const promptOf = (task: string, input: Json): string => {
  if (input === null) return task
  const text = typeof input === 'string' ? input : JSON.stringify(input, undefined, 2)
  return `${task}\n\nInput:\n${text}`
}

import {
  type AgentBundle,
  err,
  isList,
  type Json,
  type JsonObject,
  ok,
  type Result,
  type ToolDefinition,
} from '@amodal/sdk'
import { definitionsOf, TASK } from './definition.ts'

export const DISPATCH_TASK = 'dispatch_task'

/** The tool that hands a task to a sub-agent. */
export function dispatchTask(bundle: AgentBundle): ToolDefinition {
  const agents = [...definitionsOf(bundle).values()].filter(({ name }) => name !== TASK)
  return {
    name: DISPATCH_TASK,
    description: `Hands a task to a sub-agent that works on it alone, with a context of its own, and returns a summary. Several calls in one reply run at the same time. It knows nothing of this conversation: put all it needs into the prompt.
Agents:
${agents.map(({ name, description }) => `- ${name}: ${description}`).join('\n')}`,
    parameters: {
      type: 'object',
      properties: {
        agent: { type: 'string', description: 'One of the agents; left out: one for any task' },
        prompt: {
          type: 'string',
          description: 'The task, with everything that is needed to do it',
        },
        tools: {
          type: 'array',
          items: { type: 'string' },
          description: 'Names of the tools it may use; left out: all that it may',
        },
        max_turns: { type: 'integer', minimum: 1, maximum: 50, description: 'Replies it may give' },
      },
      required: ['prompt'],
      additionalProperties: false,
    },
    parse: readArguments,
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

/** By the names of this release and those of older ones. */
function readArguments({
  prompt,
  query,
  task,
  agent,
  agent_name,
  tools,
  toolSubset,
  max_turns: turns,
}: JsonObject): Result<JsonObject, string> {
  const text = [prompt, query, task].find((one) => typeof one === 'string' && one.trim() !== '')
  if (typeof text !== 'string') return err('prompt: write the task')
  const who = agent ?? agent_name ?? null
  const names = tools ?? toolSubset ?? null
  if (who !== null && typeof who !== 'string') return err('agent: must be the name of an agent')
  if (names !== null && !isNames(names)) return err('tools: must be a list of names of tools')
  if (
    turns !== undefined &&
    turns !== null &&
    (typeof turns !== 'number' || !Number.isInteger(turns) || turns < 1)
  )
    return err('max_turns: must be a whole number from 1')
  return ok({
    prompt: text,
    ...(who === null || who.trim() === '' ? {} : { agent: who }),
    ...(names === null ? {} : { tools: names }),
    ...(typeof turns === 'number' ? { max_turns: turns } : {}),
  })
}

export const isNames = (value: Json | undefined): value is readonly string[] =>
  isList(value) && value.every((one) => typeof one === 'string')

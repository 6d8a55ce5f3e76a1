import {
  defineTool,
  type AgentEvent,
  type CallId,
  type Json,
  type JsonObject,
  type ToolDefinition,
  type ToolResult,
} from '@amodal/sdk'
import { z } from 'zod'
import { NAME, type Shelf } from './shelf.ts'

export const PROPOSE_KNOWLEDGE = 'propose_knowledge'

const input = z.object({
  name: z
    .string()
    .regex(NAME, 'small letters, digits, - and _, with / between folders')
    .describe(
      'Name of the document, such as baselines or incidents/checkout; one that exists is replaced',
    ),
  title: z.string().min(1).max(200).describe('Its heading'),
  body: z
    .string()
    .max(30_000)
    .describe('The whole text in Markdown; empty: the document is removed'),
  category: z
    .string()
    .regex(/^[a-z][a-z0-9_-]{0,39}$/, 'a word in small letters')
    .optional()
    .describe(
      'What it is about: patterns, false_positives, baselines, environment, team, response_procedures, incident_history, methodology',
    ),
  reasoning: z
    .string()
    .min(1)
    .max(2_000)
    .describe(
      'Why this should be known from now on, and what it rests on, for the person who decides',
    ),
})

/** Proposes a change of the agent's knowledge; a person decides as on every approval. */
export function proposeKnowledge(shelf: Shelf): ToolDefinition {
  return defineTool({
    name: PROPOSE_KNOWLEDGE,
    description:
      'Proposes a document for the knowledge that stands in every conversation, and waits for a person to approve it. For what holds from now on and was verified, not for what happened once.',
    readOnly: false,
    keyed: true,
    tier: 'review',
    runningLabel: 'Proposing knowledge',
    completedLabel: 'Knowledge changed',
    input,
    async execute({ reasoning, ...document }, ctx): Promise<ToolResult> {
      const { name, title, body, category } = document
      const events = [proposal(ctx.callId, shelf, { title, reasoning }, 'approved')]
      if (body.trim() === '') {
        const removed = await shelf.remove(name, ctx)
        if (!removed.ok)
          return { status: 'error', code: removed.error.code, message: removed.error.message }
        return removed.value
          ? { status: 'success', output: `The document ${name} is removed.`, events }
          : { status: 'success', output: `There is no document ${name}.` }
      }
      const put = await shelf.put(
        { name, title, body, ...(category !== undefined && { category }) },
        ctx,
      )
      if (!put.ok) return { status: 'error', code: put.error.code, message: put.error.message }
      return {
        status: 'success',
        output: `The document ${name} is known from your next conversation on.`,
        events,
      }
    },
  })
}

/** The `kb_proposal` event of a proposal; its id is the id of the call. */
export function proposal(
  id: CallId,
  { scope }: Pick<Shelf, 'scope'>,
  { title, reasoning }: JsonObject,
  status: 'pending' | 'approved' | 'rejected',
): Extract<AgentEvent, { type: 'kb_proposal' }> {
  return {
    type: 'kb_proposal',
    proposal_id: id,
    scope,
    title: textOf(title),
    reasoning: textOf(reasoning),
    status,
  }
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

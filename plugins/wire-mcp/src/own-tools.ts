import {
  askId,
  failure,
  imageTypeOf,
  isId,
  sessionId,
  type Failure,
  type JsonObject,
  type Result,
  type SendRequest,
  type AssetInput,
} from '@amodal/sdk'
import { jsonValue } from '@amodal/sdk/data'
import { newKey } from '@amodal/sdk/loop'
import { IdempotencyKey } from '@amodal/plugin-http/tokens'
import { z } from 'zod'
import { converse, resume } from './conversation.ts'
import { headersOf } from './headers.ts'
import type { Tool, ToolAnswer } from './protocol.ts'
import { shownFailure, type McpRequest, type OwnTool } from './server-parts.ts'
import type { Settings } from './settings.ts'
import { summary, transcript } from './transcript.ts'
import type { TurnSource } from '@amodal/plugin-loop/tokens'
import { askResult, failedResult, jsonResult } from './turn-result.ts'

const session = z
  .string()
  .refine(isId, 'must be 1 to 128 letters, digits or any of . : @ _ -')
  .describe('The id of a session')

const AskInput = ({ maxMessageChars }: Settings) =>
  z.strictObject({
    message: z
      .string()
      .max(maxMessageChars)
      .default('')
      .describe('What to say to the agent; may be left out where files go along'),
    session_id: session
      .optional()
      .describe('Goes on with this session; left out, a new one begins'),
    images: z
      .array(
        z
          .strictObject({
            mimeType: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
            data: z.base64('must be base64').min(1),
          })
          .refine(({ mimeType, data }) => imageTypeOf(data) === mimeType, {
            path: ['data'],
            message: 'is not an image of the type it is said to be',
          }),
      )
      .max(5)
      .optional(),
    assets: z
      .array(
        z
          .strictObject({
            id: z.string().max(100).exactOptional(),
            data: z.base64('must be base64').min(1).exactOptional(),
            mimeType: z.string().max(200).exactOptional(),
            name: z.string().max(500).exactOptional(),
          })
          .refine(({ id, data }) => (id === undefined) !== (data === undefined), {
            message: 'has either `id` or `data`',
          }),
      )
      .max(100)
      .optional()
      .describe('Files to go with it: the id of an uploaded one, or its bytes in base64'),
    context: z
      .record(z.string().max(100), z.string().max(10_000))
      .refine((context) => Object.keys(context).length <= 50, 'at most 50 entries')
      .optional()
      .describe('What the agent should know of the situation'),
    max_turns: z.int().positive().optional().describe('Model calls at most'),
    idempotency_key: IdempotencyKey.optional().describe('The same key again is the same message'),
  })

const AskOutput = z.object({
  session_id: z.string(),
  status: z.enum(['complete', 'pending', 'error']),
  response: z.string(),
  reason: z.string().optional(),
  tool_calls: z.array(z.record(z.string(), z.unknown())),
  usage: z.record(z.string(), z.unknown()).optional(),
  pending: z.array(z.record(z.string(), z.unknown())).optional(),
  how_to_answer: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
})

const ListInput = z.strictObject({
  limit: z.int().min(1).max(200).default(50),
  cursor: z.string().max(500).optional(),
  waiting: z.boolean().optional().describe('Only those that wait for a person, or do not'),
})
const ReadInput = z.strictObject({
  session_id: session,
  after: z.int().min(0).optional().describe('Only what came behind this `seq`'),
})
const AnswerInput = z.strictObject({
  session_id: session,
  id: z.string().min(1).max(200).describe('The id of the question'),
  answer: z.record(z.string(), jsonValue).describe("An object that fits the question's schema"),
})
const StopInput = z.strictObject({ session_id: session })

export function ownTools(settings: Settings): readonly OwnTool[] {
  return [
    own({
      name: 'ask',
      scope: 'chat',
      title: 'Ask the agent',
      description:
        'Sends a message to the agent and waits for its answer. What it needs a person for is asked, or comes back as `pending`.',
      input: AskInput(settings),
      output: AskOutput,
      annotations: { readOnlyHint: false, openWorldHint: true },
      call: ask,
    }),
    own({
      name: 'list_sessions',
      scope: 'sessions',
      title: 'List sessions',
      description: 'Sessions with the agent, those used last first.',
      input: ListInput,
      annotations: { readOnlyHint: true },
      call: listSessions,
    }),
    own({
      name: 'read_session',
      scope: 'sessions',
      title: 'Read a session',
      description: 'What was said and called in a session, and what it waits for.',
      input: ReadInput,
      annotations: { readOnlyHint: true },
      async call({ session_id: id, after }, { agent, ctx, parts }) {
        const view = await agent.session(sessionId(id), ctx.mcpReq.signal, after)
        return view.ok
          ? jsonResult(transcript(view.value))
          : failedResult(shownFailure(view.error, parts.log))
      },
    }),
    own({
      name: 'answer_question',
      scope: 'chat',
      title: 'Answer a question',
      description:
        'Answers what a session waits for, such as an approval, and waits for what comes of it.',
      input: AnswerInput,
      output: AskOutput,
      annotations: { readOnlyHint: false },
      call: answerQuestion,
    }),
    own({
      name: 'stop_session',
      scope: 'chat',
      title: 'Stop a session',
      description: 'Stops what a session is doing or waits for.',
      input: StopInput,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
      async call({ session_id: id }, { agent, ctx, parts }) {
        const stopped = await agent.cancel(sessionId(id), ctx.mcpReq.signal)
        return stopped.ok
          ? jsonResult({ session_id: id, active: stopped.value.active })
          : failedResult(shownFailure(stopped.error, parts.log))
      },
    }),
  ]
}

interface Definition<Input extends z.ZodObject> {
  readonly name: string
  readonly scope: OwnTool['scope']
  readonly title: string
  readonly description: string
  readonly input: Input
  readonly output?: z.ZodObject
  readonly annotations: NonNullable<Tool['annotations']>
  readonly call: (args: z.output<Input>, request: McpRequest) => Promise<ToolAnswer>
}

function own<Input extends z.ZodObject>(definition: Definition<Input>): OwnTool {
  const { name, scope, title, description, input, output, annotations, call } = definition
  return {
    name,
    scope,
    listed: {
      name,
      title,
      description,
      annotations: { title, ...annotations },
      inputSchema: objectSchema(input, 'input'),
      ...(output && { outputSchema: objectSchema(output, 'output') }),
    },
    call(args, request) {
      const read = input.safeParse(args)
      return read.success
        ? call(read.data, request)
        : Promise.resolve(failedResult(failure('VALIDATION_ERROR', z.prettifyError(read.error))))
    },
  }
}

const objectSchema = (schema: z.ZodObject, io: 'input' | 'output'): Tool['inputSchema'] => ({
  ...(z.toJSONSchema(schema, { io }) as JsonObject), // JSON Schema is JSON
  type: 'object',
})

type AskArguments = z.output<ReturnType<typeof AskInput>>

function ask(args: AskArguments, request: McpRequest): Promise<ToolAnswer> {
  return converse(request, {
    name: 'ask',
    begin: () => send(toSend(args, request), request),
    result: askResult,
  })
}

function toSend(
  {
    message,
    session_id: id,
    images = [],
    assets = [],
    context,
    max_turns: maxTurns,
    idempotency_key,
  }: AskArguments,
  request: McpRequest,
): SendRequest {
  const files: readonly AssetInput[] = [
    ...images.map(({ mimeType, data }) => ({ mediaType: mimeType, data })),
    ...assets.map(({ id: asset, data = '', mimeType, ...named }): AssetInput =>
      asset === undefined
        ? { data, ...named, ...(mimeType !== undefined && { mediaType: mimeType }) }
        : { asset, ...named },
    ),
  ]
  return {
    text: message,
    key: idempotency_key ?? newKey(),
    headers: headersOf(request),
    ...(id !== undefined && { session: sessionId(id) }),
    ...(files.length > 0 && { assets: files }),
    ...(context && { context }),
    ...(maxTurns !== undefined && { limits: { maxTurns } }),
  }
}

/** Sends a message unless the caller has sent too many. It is kept, whoever leaves. */
export async function send(
  message: SendRequest,
  { agent, caller, parts: { limiter } }: McpRequest,
): Promise<Result<TurnSource, Failure>> {
  const permit = await limiter?.message(caller)
  if (permit?.ok === false) return permit
  try {
    return await agent.send(message)
  } finally {
    permit?.value.release()
  }
}

async function listSessions(
  { limit, cursor, waiting }: z.output<typeof ListInput>,
  { agent, ctx, parts }: McpRequest,
): Promise<ToolAnswer> {
  const page = await agent.sessions(
    { limit, ...(cursor !== undefined && { cursor }), ...(waiting !== undefined && { waiting }) },
    ctx.mcpReq.signal,
  )
  if (!page.ok) return failedResult(shownFailure(page.error, parts.log))
  const { rows, next } = page.value
  return jsonResult({
    sessions: rows.map(summary),
    ...(next !== undefined && { next_cursor: next }),
  })
}

/** The answer, and then the rest of the run: what is asked next is asked here, too. */
function answerQuestion(
  { session_id: id, id: question, answer }: z.output<typeof AnswerInput>,
  request: McpRequest,
): Promise<ToolAnswer> {
  const { agent } = request
  return converse(request, {
    name: 'answer_question',
    result: askResult,
    async begin() {
      const view = await agent.session(sessionId(id))
      if (!view.ok) return view
      const settled = await agent.answer(sessionId(id), [{ id: askId(question), answer }])
      if (!settled.ok) return settled
      const key = view.value.entries.findLast((entry) => entry.kind === 'user_message')?.key
      return resume(request, { session: sessionId(id), key: key ?? '' }, new Set([question]))
    },
  })
}

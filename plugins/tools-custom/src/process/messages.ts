import type { Json, JsonObject } from '@amodal/sdk'
import { z } from 'zod'
import type { CodeForm } from '../custom-tool.ts'

/** Messages to a handler process: lines of JSON on its descriptor 3, in both directions. */
export type ToChild =
  | {
      readonly type: 'start'
      readonly entry: string
      readonly form: CodeForm
      /** Of a guard. */
      readonly config?: JsonObject
      readonly roots: readonly string[]
      readonly env: Readonly<Record<string, string>>
      readonly describe: boolean
    }
  | {
      readonly type: 'call'
      readonly call: number
      readonly params: JsonObject
      readonly context: CallContext | GuardContext
    }
  | { readonly type: 'abort'; readonly call: number }
  | {
      readonly type: 'answer'
      readonly call: number
      readonly id: number
      readonly ok: true
      readonly value: Json
      /** The time that a durable call is shown from here on. */
      readonly at?: number
    }
  | {
      readonly type: 'answer'
      readonly call: number
      readonly id: number
      readonly ok: false
      readonly code: string
      readonly message: string
      readonly at?: number
    }

/** The context of a call that is sent to the handler. */
export interface CallContext {
  readonly user: { readonly roles: readonly string[] }
  readonly agentId: string
  readonly scopeId: string
  readonly sessionId: string
  /** The live state of the session; empty where the agent declares none. */
  readonly state: JsonObject
  /** Members of the context that only some tools have. */
  readonly offers: readonly string[]
  /** Of a durable call: the time at which it began, and what its random numbers are made from. */
  readonly durable?: { readonly now: number; readonly seed: number }
}

/** The context of a guard. */
export interface GuardContext {
  readonly caller: { readonly source: string }
  readonly offers: readonly string[]
}

const json = z.unknown().transform((value): Json => (value ?? null) as Json) // JSON.parse made it
// and this
const object = z.record(z.string(), z.unknown()).transform((value) => value as JsonObject)
const name = z.string().min(1).max(200)
const label = z.string().max(500).optional()

const HandlerRequestSchema = z.discriminatedUnion('op', [
  z.object({
    op: z.literal('request'),
    connection: name,
    endpoint: z.string(),
    method: z.string(),
    params: object.optional(),
    data: json.optional(),
    headers: z.record(z.string(), z.string()).optional(),
  }),
  z.object({ op: z.literal('tool'), name, args: object, declared: z.boolean().optional() }),
  z.object({ op: z.literal('subagent'), name, task: z.string(), input: json.optional() }),
  z.object({ op: z.literal('read-file'), path: z.string().max(4_096) }),
  z.object({ op: z.literal('store'), name, payload: object }),
  z.object({ op: z.literal('sleep'), until: z.number() }),
  z.object({ op: z.literal('approval'), prompt: z.string().min(1).max(5_000) }),
  z.object({ op: z.literal('document'), store: name, key: z.string().max(4_096) }),
  z.object({ op: z.literal('documents'), store: name, equals: object.optional() }),
  z.object({ op: z.literal('state'), values: object }),
  z.object({ op: z.literal('state-patch'), operations: z.array(object).max(1_000) }),
  z.object({
    op: z.literal('exec'),
    command: z.union([z.string().min(1), z.array(z.string()).min(1)]),
    cwd: z.string().optional(),
    timeout: z.number().positive().optional(),
  }),
  z.object({
    op: z.literal('fetch'),
    url: z.string(),
    method: name,
    headers: z.record(z.string(), z.string()),
    body: z.base64().optional(),
  }),
])
/** A request of a handler to the server, which responds. */
export type HandlerRequest = z.output<typeof HandlerRequestSchema>

const HandlerNoticeSchema = z.discriminatedUnion('op', [
  z.object({ op: z.literal('log'), message: z.string() }),
  z.object({ op: z.literal('label'), running: label, completed: label }),
  z.object({ op: z.literal('emit'), event: object }),
  z.object({ op: z.literal('reasoning'), line: z.string() }),
])
/** A notice of a handler to the server, without a response. */
export type HandlerNotice = z.output<typeof HandlerNoticeSchema>

const call = z.int()
/** Characters of a stack trace. */
const MOST_STACK = 20_000

/** Messages from a handler process. They are untrusted, so every field is validated. */
export const FromChild = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), definition: object.optional() }),
  z.object({
    type: z.literal('failed'),
    message: z.string(),
    file: z.string().optional(),
    line: z.int().optional(),
  }),
  z.object({ type: z.literal('result'), call, value: json }),
  z.object({
    type: z.literal('threw'),
    call,
    message: z.string(),
    code: z.string().max(100).optional(),
    stack: z.string().max(MOST_STACK).optional(),
  }),
  z.object({ type: z.literal('crashed'), message: z.string() }),
  z.object({ type: z.literal('ask'), call, id: z.int(), what: HandlerRequestSchema }),
  z.object({ type: z.literal('tell'), call, what: HandlerNoticeSchema }),
])
export type FromChild = z.output<typeof FromChild>

import { isObject, trySync, type Json, type JsonObject, type PendingAsk } from '@amodal/sdk'
import { textStart, parseExact } from '@amodal/sdk/data'
import type { RefusedCall, Run } from './run.ts'

/** Characters of a result that are sent. */
const RESULT_CHARS = 100_000

/** What a target is sent. */
export interface DeliveryPayload {
  readonly automation: string
  /** `waiting`: a person has to approve a call before the run goes on. */
  readonly status: 'success' | 'failure' | 'waiting'
  /** ISO time of the end of the run, or of the question. */
  readonly timestamp: string
  readonly run_id: string
  readonly session_id?: string
  /** The last message of the agent. */
  readonly result?: string
  readonly truncated?: boolean
  /** The template, rendered; the result where there is none. */
  readonly message?: string
  readonly error?: string
  /** The result as JSON, where it is an object. */
  readonly data?: JsonObject
  /** Calls that the run was refused. */
  readonly refused?: readonly RefusedCall[]
  /** What the run waits for; it is answered at `POST /ask-user-response`, or in the studio. */
  readonly pending_input?: PendingInput
}

export interface PendingInput {
  readonly id: string
  readonly tool_name?: string
  readonly reason?: string
  /** ISO time after which the call counts as declined. */
  readonly expires_at?: string
}

interface Ended {
  readonly at: number
  readonly result?: string
  readonly error?: string
  readonly refused: readonly RefusedCall[]
}

/** Makes what is sent of a run that has ended. */
export function payloadOf(
  run: Pick<Run, 'id' | 'automation' | 'session'>,
  { at, result = '', error, refused }: Ended,
  template?: string,
): DeliveryPayload {
  const data = dataIn(result)
  const timestamp = new Date(at).toISOString()
  const truncated = result.length > RESULT_CHARS
  const shown = textStart(result, RESULT_CHARS)
  const values = { ...data, automation: run.automation, timestamp, result: shown }
  return {
    automation: run.automation,
    status: error === undefined ? 'success' : 'failure',
    timestamp,
    run_id: run.id,
    ...(run.session !== undefined && { session_id: run.session }),
    ...(error === undefined
      ? {
          result: shown,
          truncated,
          message: template === undefined ? shown : rendered(template, values),
        }
      : { error, message: `The automation "${run.automation}" failed: ${error}` }),
    ...(data && { data }),
    ...(refused.length > 0 && { refused }),
  }
}

/** Makes what is sent when a run asks a person. */
export function waitingPayload(
  run: Pick<Run, 'id' | 'automation' | 'session'>,
  { id, context, expires_at: expires }: PendingAsk,
  now: number,
): DeliveryPayload {
  const { tool, reason } = context
  const what = typeof tool === 'string' ? `a call of ${tool}` : 'what it does next'
  return {
    automation: run.automation,
    status: 'waiting',
    timestamp: new Date(now).toISOString(),
    run_id: run.id,
    ...(run.session !== undefined && { session_id: run.session }),
    message: `The automation "${run.automation}" waits for a person to approve ${what}.`,
    pending_input: {
      id,
      ...(typeof tool === 'string' && { tool_name: tool }),
      ...(typeof reason === 'string' && reason !== '' && { reason }),
      ...(expires !== undefined && { expires_at: new Date(expires).toISOString() }),
    },
  }
}

/** The object in a result, with or without a code fence around it. */
function dataIn(result: string): JsonObject | undefined {
  const text = /^```(?:json)?\s*\n([\s\S]*?)\n```$/.exec(result.trim())?.[1] ?? result.trim()
  if (!text.startsWith('{')) return undefined
  const parsed = trySync(
    () => parseExact(text) as Json, // JSON and nothing else
    () => undefined,
  )
  return parsed.ok && isObject(parsed.value) ? parsed.value : undefined
}

/**
 * Puts values in the places of their names: `{{mrr}}`, `{{region.emea}}`. A name without a value
 * stays as it is, so that it is seen.
 */
export function rendered(template: string, values: JsonObject): string {
  return template.replaceAll(/\{\{\s*([\w.-]+)\s*\}\}/g, (whole, name: string) => {
    let value: Json | undefined = values
    for (const part of name.split('.'))
      value = isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined
    if (value === undefined) return whole
    return typeof value === 'string' ? value : JSON.stringify(value)
  })
}

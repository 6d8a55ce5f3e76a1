import type { AskedQuestion, Json, JsonObject, ToolContent } from '@amodal/kernel'
import type { WireUsage } from '../../agent-event.ts'
import type { SessionMessage, SettledOutcome, UnknownOutcome } from '../types.ts'

/**
 * What a person decides: whether a call may run, whether a run may go on, or what the answer to a
 * question is.
 */
export type Ask =
  | {
      readonly id: string
      readonly kind: 'approval'
      readonly tool: string
      /** Where the call goes, as far as it names that. */
      readonly target: string
      readonly reason: string
      readonly params: Json
      /** What else belongs to it, such as the calls that it covers. */ readonly details: JsonObject
      readonly escalated: boolean
      /** The endpoint or tool that an approval can be given for until the conversation ends. */
      readonly grant: string | undefined
      /** ISO 8601. */
      readonly expires: string | undefined
    }
  | {
      readonly id: string
      readonly kind: 'limit'
      readonly reason: string
      readonly limit: string
      readonly used: string
    }
  | { readonly id: string; readonly kind: 'question'; readonly questions: readonly AskedQuestion[] }

/** The outcome of an {@link Ask}. */
export interface Settled {
  readonly decision: 'approved' | 'declined' | 'expired' | 'answered' | 'stopped'
  /** Whose decision; absent where it is not known. */
  readonly by?: string
  /** ISO 8601. */
  readonly at?: string
  readonly feedback?: string
  /** It covers later calls of the same tool and endpoint. */
  readonly scope?: 'conversation'
  /** To a question. */
  readonly answer?: string
}

/** A tool call. */
export interface Call {
  readonly kind: 'call'
  readonly key: string
  readonly name: string
  /** What a person reads in place of the name. */
  readonly label: string
  readonly params: Json
  readonly status: 'running' | 'waiting' | 'success' | 'error' | 'unknown' | 'stopped'
  readonly result: string | undefined
  readonly content: readonly ToolContent[]
  readonly ms: number | undefined
  /** Its progress messages, and what its sub-agent did. */
  readonly log: readonly string[]
}

/** A file that went with a message. */
export type SessionFile = NonNullable<SessionMessage['assets']>[number]

/** One thing that a conversation shows, in the order in which it happened. */
export type Item =
  | {
      readonly kind: 'user'
      readonly key: string
      readonly text: string
      /** Files that went with it. */
      readonly assets?: readonly SessionFile[]
      /** The server does not have it yet. */ readonly unsent?: boolean
    }
  | { readonly kind: 'text'; readonly key: string; readonly text: string }
  | { readonly kind: 'thought'; readonly key: string; readonly text: string }
  | Call
  | { readonly kind: 'widget'; readonly key: string; readonly type: string; readonly data: Json }
  | {
      readonly kind: 'ask'
      readonly key: string
      readonly ask: Ask
      readonly open: boolean
      readonly settled?: Settled | undefined
    }
  | {
      /** A call whose outcome is unknown. */
      readonly kind: 'doubt'
      readonly key: string
      readonly tool: string
      readonly params: Json
      /** While it is not settled. */ readonly open: UnknownOutcome | undefined
      readonly settled: SettledOutcome | undefined
    }
  | {
      readonly kind: 'note'
      readonly key: string
      readonly tone: 'info' | 'warning' | 'error'
      readonly text: string
    }
  | {
      /** The end of a turn. */
      readonly kind: 'end'
      readonly key: string
      /** The last entry of the turn that is known. */ readonly seq: number
      readonly reason: string
      readonly usage: WireUsage | undefined
      readonly cost: number | undefined
    }

/** A value as people read it: text as it is, everything else as JSON. */
export const plain = (value: Json): string =>
  typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)

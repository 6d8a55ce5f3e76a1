import type { Json, SessionId } from '@amodal/sdk'
import type { AnsweredBy } from './branch.ts'
import type { EntryDifference } from './compare.ts'
import type { RequestPart } from './request-difference.ts'
import type { TextChange } from './text-change.ts'

/** Where the request of a changed agent is not that of the unchanged one. */
export interface Divergence {
  /** Names of the sub-agents that lead to its session; empty: the conversation itself. */
  readonly agents: readonly string[]
  /** Requests of the session, from 1. */
  readonly step: number
  /** The recorded entry with the answer to that request. */
  readonly seq?: number
  readonly part: RequestPart
  readonly what: string
  /** Whose section, tool or result it is. */
  readonly plugin?: string
  /** Bytes of the text before it. */
  readonly offset?: number
  readonly word?: TextChange['word']
  readonly excerpt?: TextChange['excerpt']
  readonly file?: string
  readonly line?: number
}

/** A call in a step. */
export interface StepCall {
  readonly name: string
  readonly args: Json
  /** Left out: of the record. `agent`: a sub-agent worked; `guard`: refused before it was made. */
  readonly by?: AnsweredBy | 'agent' | 'guard'
}

/** One answer of the model. */
export interface Step {
  readonly step: number
  readonly text: string
  readonly calls: readonly StepCall[]
}

/** What was recorded and what the changed agent did, from where a session leaves the record. */
export interface Branch {
  readonly agents: readonly string[]
  readonly from: number
  readonly recorded: readonly Step[]
  readonly replayed: readonly Step[]
}

/** What came of the replay of a conversation with a changed agent. */
export interface ChangeReport {
  readonly session: SessionId
  /** Entries of the recorded journal, sub-agents included. */
  readonly entries: number
  /** Left out: the model would have been sent the same. */
  readonly divergence?: Divergence
  /** Where requests are the same, and what came of the calls is not, such as after a guard. */
  readonly journal?: EntryDifference
  /** In the order in which sessions left the record. */
  readonly branches: readonly Branch[]
  /** Requests that the model itself answered. */
  readonly modelCalls: number
  /** Dollars; left out: the price is not known. */
  readonly cost?: number
  readonly refused: number
  /** Why the replay ended early. */
  readonly stopped?: string
  /** What the replay needed and the recording does not have. */
  readonly problems: readonly string[]
  /** The unchanged agent itself does not do what is recorded: the first entry. */
  readonly drift?: EntryDifference
}

import type {
  ChildClosed,
  ChildOpened,
  Compacted,
  InputAnswered,
  InputAsked,
  ModelReply,
  Note,
  RunEnded,
  RunId,
  SequencedEntry,
  ToolIntent,
  ToolOutcome,
  Usage,
  UserMessage,
} from '@amodal/sdk'

/** A run of a session, with what its entries add up to. */
export interface TracedRun {
  readonly id: RunId
  /** 1 for the first run of the session. */
  readonly number: number
  /** ms since the epoch. */
  readonly startedAt: number
  /** Of its newest entry. */
  lastAt: number
  usage: Usage
  /** Billionths of a dollar; `undefined` where no price is known. */
  cost: number | undefined
  modelCalls: number
  toolCalls: number
  end: SequencedEntry<RunEnded> | undefined
}

interface Common {
  /** `12`, or `12.1` for the first of several things of entry 12. Unique in its session. */
  readonly id: string
  readonly seq: number
  readonly run: TracedRun
}

export interface MessageThing extends Common {
  readonly kind: 'message'
  readonly entry: SequencedEntry<UserMessage>
}

/** A model call with a reply. */
export interface ReplyThing extends Common {
  readonly kind: 'reply'
  readonly entry: SequencedEntry<ModelReply>
  /** Earlier attempts of the same call that are in the journal. */
  readonly attempts: readonly SequencedEntry<Note>[]
}

/** A model call without a reply in the conversation: an attempt that failed, or a call aside. */
export interface SpentThing extends Common {
  readonly kind: 'spent'
  readonly entry: SequencedEntry<Note>
  readonly isAside: boolean
}

/** A call of a tool or of a sub-agent, with all entries about it. */
export interface CallThing extends Common {
  readonly kind: 'call'
  readonly entry: SequencedEntry<ModelReply>
  /** Its place among the calls of the reply. */
  readonly index: number
  intent?: SequencedEntry<ToolIntent>
  outcome?: SequencedEntry<ToolOutcome>
  opened?: SequencedEntry<ChildOpened>
  closed?: SequencedEntry<ChildClosed>
  /** A person has settled its unknown outcome. */
  settled?: SequencedEntry<Note>
  readonly questions: AskThing[]
}

/** Something that a person is asked: an approval, a question, or whether to go on. */
export interface AskThing extends Common {
  readonly kind: 'ask'
  readonly entry: SequencedEntry<InputAsked>
  /** `id` of the call that it is about. */
  readonly of: string | undefined
  answer?: SequencedEntry<InputAnswered>
}

/** What a guard did with a call. */
export interface GuardThing extends Common {
  readonly kind: 'guard'
  readonly entry: SequencedEntry<ToolOutcome>
  readonly of: string | undefined
  readonly verdict: 'denied' | 'withheld' | 'redacted'
  /** Fields that were removed, for `redacted`. */
  readonly fields?: number
}

export interface CompactionThing extends Common {
  readonly kind: 'compaction'
  readonly entry: SequencedEntry<Compacted>
}

export interface NoteThing extends Common {
  readonly kind: 'note'
  readonly entry: SequencedEntry<Note>
}

export interface EndThing extends Common {
  readonly kind: 'end'
  readonly entry: SequencedEntry<RunEnded>
}

/**
 * The entries of a thing are those that its reader may see. The walk over the journal has them as
 * they are stored: of those nothing but ids, times and counts may leave.
 */
export type Shown<T extends Thing = Thing> = T & { readonly shown: true }

/** One thing that happened, made of all journal entries about it. */
export type Thing =
  | MessageThing
  | ReplyThing
  | SpentThing
  | CallThing
  | AskThing
  | GuardThing
  | CompactionThing
  | NoteThing
  | EndThing

import {
  ok,
  readEntries,
  type AgentClient,
  type CallId,
  type Failure,
  type InputAnswered,
  type InputAsked,
  type JournalEntry,
  type ModelReply,
  type Result,
  type SequencedEntry,
  type Spent,
  type SessionId,
  type SessionStore,
  type TenantId,
  type ToolOutcome,
} from '@amodal/sdk'

/** What a session that really happened has in its journal, with those of its sub-agents. */
export interface Recording {
  readonly session: SessionId
  /** Names of the sub-agents that lead to it; empty: the conversation itself. */
  readonly agents: readonly string[]
  readonly entries: readonly SequencedEntry[]
  /** In the order in which they were begun. */
  readonly children: readonly { readonly prompt: string; readonly recording: Recording }[]
}

/** How the loop names a call beside the conversation that an answer came of. */
const ASIDE = 'a call beside the conversation'

/** As deep as sub-agents may be. */
const DEEPEST = 8

/** Reads the journal of one session. */
export type ReadJournal = (
  session: SessionId,
) => Promise<Result<readonly SequencedEntry[], Failure>>

/** Reads as somebody who may see the session. */
export const readAs =
  (client: AgentClient): ReadJournal =>
  async (session) => {
    const view = await client.session(session)
    return view.ok ? ok(view.value.entries) : view
  }

/** Reads what is stored, where no agent runs. */
export const readStored =
  (sessions: SessionStore, tenant: TenantId, signal: AbortSignal): ReadJournal =>
  async (session) => {
    const stored = await sessions.entries({ tenant, session }, { after: 0 }, signal)
    return stored.ok ? readEntries(stored.value) : stored
  }

/** Reads the journal of a session and of its sub-agents. */
export async function readRecording(
  read: ReadJournal,
  session: SessionId,
  agents: readonly string[] = [],
): Promise<Result<Recording, Failure>> {
  const journal = await read(session)
  if (!journal.ok) return journal
  const entries = journal.value
  const children: Recording['children'][number][] = []
  const opened = agents.length < DEEPEST ? ofKind(entries, 'child_opened') : []
  // A sub-agent that is asked further has one session: it is opened several times.
  const seen = new Set<SessionId>()
  for (const { agent, child, prompt } of opened) {
    if (seen.has(child)) continue
    seen.add(child)
    const recording = await readRecording(read, child, [...agents, agent])
    if (!recording.ok) return recording
    children.push({ prompt, recording: recording.value })
  }
  return ok({ session, agents, entries, children })
}

/** Entries of one kind. */
export function ofKind<K extends JournalEntry['kind']>(
  entries: readonly SequencedEntry[],
  kind: K,
): readonly SequencedEntry<Extract<JournalEntry, { kind: K }>>[] {
  return entries.filter(
    (entry): entry is SequencedEntry<Extract<JournalEntry, { kind: K }>> => entry.kind === kind,
  )
}

/** Plays what a recording has, entry by entry, to a session that repeats it. */
export class Playback {
  readonly recording: Recording
  readonly #replies: ModelReply[]
  readonly #summaries: string[]
  /** What calls beside the conversation took, such as those for summaries. */
  readonly #asides: Spent[]
  readonly #outcomes: ReadonlyMap<CallId, ToolOutcome>
  readonly #questions: InputAsked[]
  readonly #answers: InputAnswered[]

  constructor(recording: Recording) {
    const { entries } = recording
    this.recording = recording
    this.#replies = [...ofKind(entries, 'model_reply')]
    this.#summaries = ofKind(entries, 'compacted').map(({ summary }) => summary)
    this.#asides = ofKind(entries, 'note').flatMap(({ spent, text }) =>
      spent && text === ASIDE ? [spent] : [],
    )
    this.#outcomes = new Map(ofKind(entries, 'tool_outcome').map((entry) => [entry.call, entry]))
    this.#questions = ofKind(entries, 'input_asked').filter(
      ({ ask_type: type }) => type === 'question',
    )
    this.#answers = [...ofKind(entries, 'input_answered')]
  }

  /** What the model answered next. */
  nextReply(): ModelReply | undefined {
    return this.#replies.shift()
  }

  /** The reply that comes next, for whoever chooses the model of it. */
  get upcoming(): ModelReply | undefined {
    return this.#replies[0]
  }

  /** What a call beside the conversation came to: nothing more than its summary is recorded. */
  nextAside(): { readonly text: string; readonly spent: Spent | undefined } | undefined {
    const text = this.#summaries.shift()
    return text === undefined ? undefined : { text, spent: this.#asides.shift() }
  }

  outcome(call: CallId): ToolOutcome | undefined {
    return this.#outcomes.get(call)
  }

  /** A question that this very call asked a person, once each. */
  nextQuestion(call: CallId): InputAsked | undefined {
    const index = this.#questions.findIndex((question) => question.call === call)
    return index === -1 ? undefined : this.#questions.splice(index, 1)[0]
  }

  /** What was answered to a question of this kind about this call, once each. */
  nextAnswer(type: InputAnswered['ask_type'], call: CallId | undefined): InputAnswered | undefined {
    const index = this.#answers.findIndex(
      (answer) => answer.ask_type === type && answer.call === call && answer.void === undefined,
    )
    return index === -1 ? undefined : this.#answers.splice(index, 1)[0]
  }
}

import type {
  AskId,
  JsonObject,
  Message,
  ModelConfig,
  RunContext,
  SessionId,
  TenantId,
  ToolList,
} from '@amodal/sdk'
import { Enactments, type Enactment } from '../trial/enactments.ts'
import type { Course } from './course.ts'
import type { Overlay } from './overlay.ts'
import { Playback, type Recording } from './recording.ts'
import { recordedTools, type ToolPlayback } from './recorded-tools.ts'

const KEY = 'evals-replay'

/** A conversation that is repeated: its model and its tools answer as they did. */
export class Replay implements Enactment, ToolPlayback {
  readonly tenant: TenantId
  readonly recording: Recording
  /** What the recording does not have, and the replay asked for. */
  readonly problems: string[] = []
  /** Questions that nobody has answered: the recording ends with them. */
  readonly unanswered = new Set<AskId>()
  /** How its agent differs from the one that serves it. */
  overlay: Overlay | undefined
  /** Decides who answers, where this is not a mere repetition. */
  course: Course | undefined
  readonly #playbacks = new Map<SessionId, Playback>()
  /** Recordings of sub-agents that no session repeats yet. */
  readonly #waiting: Recording['children'][number][]
  readonly #tools = new WeakMap<ToolList, ToolList>()

  constructor(tenant: TenantId, recording: Recording) {
    this.tenant = tenant
    this.recording = recording
    this.#waiting = childrenOf(recording)
  }

  /** The session that repeats the conversation itself. */
  begin(session: SessionId): Playback {
    const playback = new Playback(this.recording)
    this.#playbacks.set(session, playback)
    return playback
  }

  playback({ session }: { readonly session: SessionId }): Playback | undefined {
    return this.#playbacks.get(session)
  }

  /** Ids of recorded sessions in the place of those that repeat them, as far as they are known. */
  readonly recordedIds = (text: string): string =>
    [...this.#playbacks].reduce(
      (current, [session, { recording }]) => current.replaceAll(session, recording.session),
      text,
    )

  /** What a run repeats; a sub-agent is known by what it was told to do. */
  playbackOf(run: Pick<RunContext, 'session' | 'messages'>): Playback | undefined {
    const known = this.#playbacks.get(run.session)
    if (known) return known
    const task = textOf(run.messages.find(({ role }) => role === 'user'))
    const index = this.#waiting.findIndex(({ prompt }) => task.startsWith(prompt))
    const [child] = index === -1 ? [] : this.#waiting.splice(index, 1)
    if (!child) return undefined
    const playback = new Playback(child.recording)
    this.#playbacks.set(run.session, playback)
    return playback
  }

  /** One list of tools stays the same object, so that its prompt is compiled once. */
  tools(list: ToolList): ToolList {
    const known = this.#tools.get(list)
    if (known) return known
    const tools = recordedTools(list, this)
    this.#tools.set(list, tools)
    return tools
  }

  /** The model that a call went to. */
  modelOf(run: Pick<RunContext, 'session' | 'messages'>): ModelConfig | undefined {
    return this.playbackOf(run)?.upcoming?.model
  }
}

const childrenOf = ({ children }: Recording): Recording['children'][number][] =>
  children.flatMap((child) => [child, ...childrenOf(child.recording)])

function textOf(message: Message | undefined): string {
  if (!message) return ''
  const { content } = message
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** What a session of a replay carries in its state, and its sub-agents in theirs. */
export const stateOf = ({ tenant }: Replay): JsonObject => ({ [KEY]: { tenant } })

/** The replays that run in this process. */
export class Replays extends Enactments<Replay> {
  constructor() {
    super(KEY)
  }
}

import type { AgentEvents, Frame, JsonObject, PendingAsk, SequencedEntry } from '@amodal/sdk'
import { frameId, type TurnWriter } from '@amodal/sdk/wire'
import { askedParts } from './task-answers.ts'
import { taskId } from './task-id.ts'
import {
  endState,
  failedParts,
  statusObject,
  taskObject,
  TEXT_ARTIFACT,
  textOf,
  widgetArtifact,
  widgetsIn,
  type TaskState,
  type TaskView,
} from './task.ts'

/** How an event is wrapped by a binding. */
export type Wrap = (event: JsonObject) => JsonObject

/** The entries of a task that waits. */
export interface ParkedTask {
  entries: readonly SequencedEntry[]
}

/**
 * Projects the events of a run to those of its task: the task as it stands, then its text as a
 * growing artifact, its widgets, and its state.
 */
export class TaskWriter implements TurnWriter {
  readonly #view: TaskView
  readonly #wrap: Wrap
  readonly #parked: ParkedTask
  #pieces: { readonly text: string; readonly seq: number; readonly n: number }[]
  #widgets: number
  #isWorking = false
  #error: AgentEvents['error'] | undefined

  constructor(view: TaskView, wrap: Wrap, parked: ParkedTask) {
    this.#view = view
    this.#wrap = wrap
    this.#parked = parked
    const known = textOf(view.entries)
    this.#pieces = known === '' ? [] : [{ text: known, seq: 0, n: 0 }]
    this.#widgets = widgetsIn(view.entries)
  }

  begin(): string {
    return this.#event({ task: taskObject(this.#view) })
  }

  frame(frame: Frame): string {
    const { event } = frame
    switch (event.type) {
      case 'text_delta':
        return this.#working(frame) + this.#text(event.content, frame)
      case 'tool_call_start':
      case 'reasoning_delta':
        return this.#working(frame)
      case 'widget':
        return this.#artifact(
          widgetArtifact({ type: event.widget_type, data: event.data }, this.#widgets++),
          { lastChunk: true },
          frame,
        )
      case 'reset':
        return this.#reset(event.after_seq, frame)
      case 'error':
        this.#error = event
        return ''
      case 'done':
        return this.#done(event, frame)
      default:
        return '' // listed in the README
    }
  }

  parked(asks: readonly PendingAsk[]): string {
    const at = this.#parked.entries.at(-1)?.at ?? this.#view.at
    return this.#status('TASK_STATE_INPUT_REQUIRED', at, askedParts(asks, this.#parked.entries))
  }

  end(): string {
    return '' // the last event was the end
  }

  #working({ at }: Frame): string {
    if (this.#isWorking) return ''
    this.#isWorking = true
    return this.#status('TASK_STATE_WORKING', at)
  }

  #text(text: string, frame: Frame): string {
    const append = this.#pieces.length > 0
    this.#pieces.push({ text, seq: frame.id.seq, n: frame.id.n })
    return this.#artifact(textArtifact(text), { append }, frame)
  }

  /** What came behind an entry comes again: the artifact is replaced by what stays of it. */
  #reset(after: number, frame: Frame): string {
    const before = this.#pieces.length
    this.#pieces = this.#pieces.filter(({ seq, n }) => seq < after || (seq === after && n === 0))
    if (this.#pieces.length === before) return ''
    const text = this.#pieces.map((piece) => piece.text).join('')
    return this.#artifact(textArtifact(text), { append: false }, frame)
  }

  #done({ reason }: AgentEvents['done'], { at }: Frame): string {
    const state = endState(reason)
    return this.#status(
      state,
      at,
      state === 'TASK_STATE_FAILED' ? failedParts(reason, this.#error) : [],
    )
  }

  #status(state: TaskState, at: number, parts: readonly JsonObject[] = []): string {
    const { place, contextId } = this.#view
    const status = statusObject({ place, contextId, at }, state, parts)
    return this.#event({ statusUpdate: { taskId: taskId(place), contextId, status } })
  }

  #artifact(artifact: JsonObject, how: JsonObject, { id }: Frame): string {
    const { place, contextId } = this.#view
    const metadata = { frame_id: frameId(id) }
    return this.#event({
      artifactUpdate: { taskId: taskId(place), contextId, artifact, ...how, metadata },
    })
  }

  #event(event: JsonObject): string {
    return `data: ${JSON.stringify(this.#wrap(event))}\n\n`
  }
}

const textArtifact = (text: string): JsonObject => ({
  artifactId: TEXT_ARTIFACT,
  name: TEXT_ARTIFACT,
  parts: [{ text }],
})

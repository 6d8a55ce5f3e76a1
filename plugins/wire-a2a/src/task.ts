import { assetUrl } from '@amodal/sdk/wire'
import {
  isObject,
  type DoneReason,
  type JsonObject,
  type PendingAsk,
  type SequencedEntry,
  type SessionView,
  type UserMessage,
} from '@amodal/sdk'
import { askedParts } from './task-answers.ts'
import { taskId, type TaskPlace } from './task-id.ts'

export type TaskState =
  | 'TASK_STATE_SUBMITTED'
  | 'TASK_STATE_WORKING'
  | 'TASK_STATE_COMPLETED'
  | 'TASK_STATE_FAILED'
  | 'TASK_STATE_CANCELED'
  | 'TASK_STATE_INPUT_REQUIRED'

export const isOver = (state: TaskState): boolean =>
  state === 'TASK_STATE_COMPLETED' ||
  state === 'TASK_STATE_FAILED' ||
  state === 'TASK_STATE_CANCELED'

/** A task as the journal has it. */
export interface TaskView {
  readonly place: TaskPlace
  /** What the client calls the session. */
  readonly contextId: string
  /** Of its run. */
  readonly entries: readonly SequencedEntry[]
  readonly asks: readonly PendingAsk[]
  readonly state: TaskState
  /** ms since the epoch. */
  readonly at: number
  /** The last entry that there is of its session. */
  readonly head: number
}

const KEY = 'wire-a2a'
export const TEXT_ARTIFACT = 'response'

/**
 * Session state of a message: its key, by which its task is found, and what the client calls the
 * context, where that has a name of the client.
 */
export const taskState = (key: string, contextId: string | undefined): JsonObject => ({
  [KEY]: { key, ...(contextId !== undefined && { contextId }) },
})

/** The key of a message that came over this wire. @param state of that message */
export function keyIn(state: JsonObject | undefined): string | undefined {
  const kept = state?.[KEY]
  const key = isObject(kept) ? kept['key'] : undefined
  return typeof key === 'string' ? key : undefined
}

function contextOf({ session_state: state }: UserMessage, { session }: TaskPlace): string {
  const kept = state?.[KEY]
  const name = isObject(kept) ? kept['contextId'] : undefined
  return typeof name === 'string' ? name : session
}

/** The task of a message; `undefined` where the journal has nothing of it. */
export function taskIn(view: SessionView, place: TaskPlace): TaskView | undefined {
  const opening = view.entries.find(
    (entry): entry is SequencedEntry<UserMessage> =>
      entry.kind === 'user_message' && entry.key === place.key,
  )
  if (!opening) return undefined
  const entries = view.entries.filter(({ run }) => run === opening.run)
  const isLatest = view.entries.findLast(({ kind }) => kind === 'user_message') === opening
  const asks = isLatest ? view.asks : []
  return {
    place,
    contextId: contextOf(opening, place),
    entries,
    asks,
    state: stateOf(entries, asks),
    at: entries.at(-1)?.at ?? opening.at,
    head: view.row.head,
  }
}

/** A task that was accepted, and of which the journal has nothing yet. */
export const acceptedTask = (
  place: TaskPlace,
  contextId: string,
  { at, head }: Pick<TaskView, 'at' | 'head'>,
): TaskView => ({
  place,
  contextId,
  entries: [],
  asks: [],
  state: 'TASK_STATE_SUBMITTED',
  at,
  head,
})

function stateOf(entries: readonly SequencedEntry[], asks: readonly PendingAsk[]): TaskState {
  const end = entries.findLast((entry) => entry.kind === 'run_ended')
  if (end?.kind === 'run_ended') return endState(end.reason)
  return asks.length > 0 ? 'TASK_STATE_INPUT_REQUIRED' : 'TASK_STATE_WORKING'
}

export function endState(reason: DoneReason): TaskState {
  switch (reason) {
    case 'model_stop':
      return 'TASK_STATE_COMPLETED'
    case 'user_abort':
      return 'TASK_STATE_CANCELED'
    case 'error':
    case 'max_turns':
    case 'budget_exceeded':
    case 'loop_detected':
      return 'TASK_STATE_FAILED'
    default:
      return reason satisfies never
  }
}

export interface ShowOptions {
  /** Messages of the history; left out: all. */
  readonly historyLength?: number | undefined
  readonly artifacts?: boolean
}

/** A task as the protocol has it. */
export function taskObject(
  view: TaskView,
  { historyLength, artifacts = true }: ShowOptions = {},
): JsonObject {
  const { place, contextId, entries } = view
  const history = historyOf(view)
  const shown =
    historyLength === undefined
      ? history
      : history.slice(history.length - Math.min(historyLength, history.length))
  const made = artifacts ? artifactsOf(entries) : []
  return {
    id: taskId(place),
    contextId,
    status: statusObject(view, view.state, messageParts(view)),
    ...(made.length > 0 && { artifacts: made }),
    ...(shown.length > 0 && { history: shown }),
    metadata: { session_id: place.session },
  }
}

/** What the agent says of the state: what it waits for, or why it has failed. */
function messageParts({ entries, asks, state }: TaskView): readonly JsonObject[] {
  if (state === 'TASK_STATE_INPUT_REQUIRED') return askedParts(asks, entries)
  const end = entries.findLast((entry) => entry.kind === 'run_ended')
  return end?.kind === 'run_ended' && state === 'TASK_STATE_FAILED'
    ? failedParts(end.reason, end.error)
    : []
}

export const failedParts = (
  reason: DoneReason,
  error: { readonly code: string; readonly message: string } | undefined,
): readonly JsonObject[] => [
  { text: error?.message ?? `the run has ended: ${reason}` },
  { data: { reason, ...(error && { code: error.code }) }, mediaType: 'application/json' },
]

/** The status of a task, with a message of the agent where there is something to say. */
export const statusObject = (
  { place, contextId, at }: Pick<TaskView, 'place' | 'contextId' | 'at'>,
  state: TaskState,
  parts: readonly JsonObject[] = [],
): JsonObject => ({
  state,
  timestamp: new Date(at).toISOString(),
  ...(parts.length > 0 && {
    message: {
      messageId: `${taskId(place)}_${state}_${at}`,
      contextId,
      taskId: taskId(place),
      role: 'ROLE_AGENT',
      parts,
    },
  }),
})

function historyOf({ place, contextId, entries }: TaskView): readonly JsonObject[] {
  return entries.flatMap((entry): readonly JsonObject[] => {
    if (entry.kind !== 'user_message') return []
    const { text, assets = [] } = entry
    return [
      {
        messageId: entry.key,
        contextId,
        taskId: taskId(place),
        role: 'ROLE_USER',
        parts: [
          ...(text === '' ? [] : [{ text }]),
          ...assets.map((file) => ({
            ...(file.data === undefined ? { url: assetUrl(file) } : { raw: file.data }),
            mediaType: file.mediaType,
            ...(file.name !== undefined && { filename: file.name }),
          })),
        ],
      },
    ]
  })
}

/** The agent's words, and its widgets. */
function artifactsOf(entries: readonly SequencedEntry[]): readonly JsonObject[] {
  const text = textOf(entries)
  const widgets = entries.flatMap((entry) =>
    entry.kind === 'tool_outcome' ? (entry.events ?? []).flatMap(widgetOf) : [],
  )
  return [
    ...(text === '' ? [] : [{ artifactId: TEXT_ARTIFACT, name: TEXT_ARTIFACT, parts: [{ text }] }]),
    ...widgets.map((widget, at) => widgetArtifact(widget, at)),
  ]
}

export const textOf = (entries: readonly SequencedEntry[]): string =>
  entries.flatMap((entry) => (entry.kind === 'model_reply' ? [entry.text] : [])).join('')

export const widgetsIn = (entries: readonly SequencedEntry[]): number =>
  entries.reduce(
    (sum, entry) =>
      sum + (entry.kind === 'tool_outcome' ? (entry.events ?? []).flatMap(widgetOf).length : 0),
    0,
  )

interface Widget {
  readonly type: string
  readonly data: JsonObject[string]
}

// events of an outcome were typed when they were made
const widgetOf = (event: object): readonly Widget[] =>
  'type' in event && event.type === 'widget' && 'widget_type' in event && 'data' in event
    ? [{ type: String(event.widget_type), data: event.data as Widget['data'] }]
    : []

export const widgetArtifact = ({ type, data }: Widget, at: number): JsonObject => ({
  artifactId: `widget_${at}`,
  name: type,
  parts: [{ data, mediaType: 'application/json' }],
})

import {
  canonical,
  isObject,
  trySync,
  type Json,
  type SessionId,
  type ToolDefinition,
  type ToolOutcome,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import type { Baseline } from './baseline.ts'
import { callKey } from './course.ts'
import { ofKind, type Recording } from './recording.ts'

interface RecordedCall {
  readonly session: SessionId
  readonly name: string
  /** As the model wrote the arguments, and as the tool received them. */
  readonly args: ReadonlySet<string>
  readonly outcome: ToolOutcome
}

/** The calls of a recording, for a model that makes the same ones in its own order. */
export class RecordedCalls {
  readonly #calls: readonly RecordedCall[]
  readonly #used = new Set<RecordedCall>()

  constructor(baseline: Pick<Baseline, 'recording' | 'calls'>) {
    this.#calls = callsOf(baseline.recording, baseline)
  }

  /**
   * What the same call with the same arguments came to: each of them once, those that only read as
   * often as they are made.
   *
   * @param session the recorded one: its own calls come before those of others
   */
  take(
    { name, readOnly }: Pick<ToolDefinition, 'name' | 'readOnly'>,
    args: Json,
    session: SessionId | undefined,
  ): ToolOutcome | undefined {
    const text = canonical(args)
    const same = this.#calls.filter((call) => call.name === name && call.args.has(text))
    const ordered = [
      ...same.filter((call) => call.session === session),
      ...same.filter((call) => call.session !== session),
    ]
    const found =
      ordered.find((call) => !this.#used.has(call)) ?? (readOnly ? ordered.at(-1) : undefined)
    if (found) this.#used.add(found)
    return found?.outcome
  }

  /** A recorded call has its result: it is not there for another one. */
  use(outcome: ToolOutcome | undefined): void {
    const found = this.#calls.find((call) => call.outcome === outcome)
    if (found) this.#used.add(found)
  }
}

function callsOf(
  { children, entries, session }: Recording,
  baseline: Pick<Baseline, 'calls'>,
): readonly RecordedCall[] {
  const outcomes = new Map(ofKind(entries, 'tool_outcome').map((entry) => [entry.call, entry]))
  const own = ofKind(entries, 'model_reply').flatMap(({ calls }) =>
    calls.flatMap(({ id, input }): readonly RecordedCall[] => {
      const outcome = outcomes.get(id)
      if (!outcome) return []
      const parsed = baseline.calls.get(callKey(session, id))
      const args = new Set([rawArgs(input), ...(parsed ? [parsed.args] : [])])
      return [{ session, name: parsed?.name ?? outcome.name, args, outcome }]
    }),
  )
  return [...own, ...children.flatMap(({ recording }) => callsOf(recording, baseline))]
}

/** As the model wrote them: a call that was refused has never reached its tool. */
function rawArgs(input: string): string {
  const read = trySync(
    () => parseExact(input) as Json, // a reply's input is JSON
    () => undefined,
  )
  return read.ok && isObject(read.value) ? canonical(read.value) : input
}

import { parseExact } from '@amodal/sdk/data'
import type { JsonObject, LanguageModel, StreamPart } from '@amodal/sdk'
import type { Scrubber } from './scrubber.ts'
import { errorJson, shortened, type Line } from './tape.ts'

type Came =
  | { readonly at: number; readonly part: StreamPart }
  | { readonly at: number; readonly thrown: unknown }

interface RecordOptions {
  readonly scrub: Scrubber
  /** Calls that failed are kept, too. */
  readonly failures: boolean
  /** Must not throw. */
  readonly keep: (take: (n: number) => readonly Line[]) => Promise<void>
}

/** Parts that nothing reads and that differ on each call. */
const UNKEPT: ReadonlySet<string> = new Set(['response-metadata', 'raw'])

/**
 * Wraps a model and records complete replies, before the reader sees the end. A call that was
 * stopped is not recorded, since it is incomplete.
 */
export function recording(
  model: LanguageModel,
  { scrub, failures, keep }: RecordOptions,
): LanguageModel {
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (call) => model.doGenerate(call),
    async doStream(call) {
      const began = performance.now()
      const came: Came[] = []
      const at = (): number => Math.round(performance.now() - began)
      let left = false
      const done = async (): Promise<void> => {
        if (left || call.abortSignal?.aborted === true || (!failures && came.some(isFailure)))
          return
        await keep((take) => lines(came, take, scrub))
      }
      const failed = async (cause: unknown): Promise<void> => {
        came.push({ at: at(), thrown: cause })
        await done()
      }
      const made = await Promise.resolve(model.doStream(call)).catch(async (cause: unknown) => {
        await failed(cause)
        throw cause
      })
      const source = made.stream.getReader()
      const stream = new ReadableStream<StreamPart>({
        async pull(controller) {
          try {
            const next = await source.read()
            if (!next.done) {
              if (!UNKEPT.has(next.value.type)) came.push({ at: at(), part: next.value })
              return controller.enqueue(next.value)
            }
            await done()
            if (!left) controller.close()
          } catch (cause) {
            await failed(cause)
            controller.error(cause)
          }
        },
        cancel(reason) {
          left = true
          return source.cancel(reason)
        },
      })
      return { ...made, stream }
    },
  }
}

const isFailure = (one: Came): boolean => 'thrown' in one || one.part.type === 'error'

function lines(came: readonly Came[], take: number, scrub: Scrubber): readonly Line[] {
  const deltas = cleaned(came, scrub)
  return came.map((one): Line => {
    if ('thrown' in one)
      return { take, at: one.at, thrown: shortened(scrub.value(errorJson(one.thrown))) }
    return { take, at: one.at, part: kept(one.part, deltas.get(one), scrub) }
  })
}

/** Streamed texts are redacted as a whole. */
function cleaned(came: readonly Came[], scrub: Scrubber): ReadonlyMap<Came, string> {
  const texts = new Map<string, { readonly of: Came; readonly delta: string }[]>()
  for (const of of came) {
    if (!('part' in of) || !('delta' in of.part)) continue
    const name = `${of.part.type} ${of.part.id}`
    const pieces = texts.get(name) ?? []
    pieces.push({ of, delta: of.part.delta })
    texts.set(name, pieces)
  }
  return new Map(
    [...texts.values()].flatMap((pieces) => {
      const clean = scrub.pieces(pieces.map(({ delta }) => delta))
      return pieces.map(({ of }, n) => [of, clean[n] ?? ''] as const)
    }),
  )
}

function kept(part: StreamPart, delta: string | undefined, scrub: Scrubber): JsonObject {
  if (part.type === 'error')
    return { type: 'error', error: shortened(scrub.value(errorJson(part.error))) }
  // a part is plain data
  const { type: _type, ...rest } = parseExact(JSON.stringify(part)) as JsonObject
  const clean = {
    type: part.type,
    ...scrub.value(rest),
    ...('id' in part && part.id !== undefined && { id: part.id }),
  }
  if (part.type === 'tool-call')
    return { ...clean, toolCallId: part.toolCallId, input: scrub.arguments(part.input) }
  return delta === undefined ? clean : { ...clean, delta }
}

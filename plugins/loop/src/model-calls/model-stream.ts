import {
  type ModelCall,
  type ModelSource,
  ok,
  PluginError,
  providerOf,
  type Result,
  type StreamPart,
  within,
} from '@amodal/sdk'
import { reserve } from '../run/budget.ts'
import { withFiles } from './files.ts'
import type { LoopTurn } from '../run/loop-turn.ts'
import { modelFailure, ReplyReader, type Streamed } from './reply-reader.ts'
import { ReplyWatch } from './reply-watch.ts'
import { withoutDropped } from './dropped-parts.ts'
import { messagesFor } from './thoughts.ts'

/** Makes one call within its budget and streams the reply. */
export async function stream(call: ModelCall, turn: LoopTurn): Promise<Streamed> {
  const held = await reserve(call, turn)
  if (!held.ok) return new ReplyReader(call, turn).end(held.error)
  const streamed = await read(held.value.call, turn)
  await held.value.settle(streamed.result.usage)
  return streamed
}

async function read(call: ModelCall, turn: LoopTurn): Promise<Streamed> {
  const reader = new ReplyReader(call, turn)
  const name = `${call.config.provider}/${call.config.model}`
  const source = await sourceOf(call, turn)
  if (!source.ok) return reader.end(source.error.toFailure())
  const { stream: taps } = turn.hooks.model
  const transforms = taps.tapped ? taps.call(call, turn) : ok([])
  if (!transforms.ok) return reader.end(transforms.error.toFailure())
  reader.transforms = transforms.value

  const watch = new ReplyWatch(turn)
  try {
    const given = await withFiles(call, turn)
    if (!given.ok) return reader.end(given.error)
    const model = source.value.open()
    if (!model.ok) return reader.end(model.error)
    const { stream: parts } = await within(
      model.value.doStream({ ...requestOf(given.value), abortSignal: watch.signal }),
      watch.signal,
    )
    await readAll(parts, reader, watch)
    reader.flush()
    return reader.end(watch.signal.aborted ? watch.tooLate(name) : reader.problem(name))
  } catch (cause) {
    return reader.end(
      watch.tooLate(name) ??
        (PluginError.is(cause) ? cause.toFailure() : modelFailure(call, cause)),
    )
  } finally {
    watch.end()
  }
}

/** The call in the form of the provider's interface. */
function requestOf({
  system,
  systemOptions,
  config,
  messages,
  tools,
  toolChoice,
  settings,
}: ModelCall) {
  const head = {
    role: 'system' as const,
    content: system,
    ...(systemOptions && { providerOptions: systemOptions }),
  }
  const sent = messagesFor(config.provider, messages.map(withoutDropped))
  const prompt = [...(system === '' ? [] : [head]), ...sent]
  return {
    prompt,
    ...(tools.length === 0 ? {} : { tools: [...tools], toolChoice: { type: toolChoice } }),
    includeRawChunks: false,
    ...settings,
  }
}

/** Reads until the stream ends, the reader is done, or the watch aborts. */
async function readAll(
  parts: ReadableStream<StreamPart>,
  reader: ReplyReader,
  watch: ReplyWatch,
): Promise<void> {
  const { signal } = watch
  const incoming = parts.getReader()
  // Cancelling ends a pending read at once, even if a provider ignores the signal.
  const cancel = (): void => void incoming.cancel().catch(() => undefined)
  signal.addEventListener('abort', cancel, { once: true })
  try {
    for (let next = await incoming.read(); !next.done; next = await incoming.read()) {
      watch.extend()
      if (reader.part(next.value)) break
    }
  } finally {
    signal.removeEventListener('abort', cancel)
    cancel()
  }
}

async function sourceOf(
  call: ModelCall,
  turn: LoopTurn,
): Promise<Result<ModelSource, PluginError>> {
  const source: ModelSource = {
    open() {
      const provider = providerOf(turn.parts.generation, call.config)
      return provider.ok ? provider.value.model(call.config) : provider
    },
  }
  return turn.hooks.model.open.tapped ? turn.hooks.model.open.call(source, call, turn) : ok(source)
}

/** The chunks of a body, as they come. */
export async function* chunksOf(
  body: ReadableStream<Uint8Array> | null,
): AsyncGenerator<Uint8Array> {
  if (body === null) return
  const reader = body.getReader()
  let ended = false
  try {
    for (;;) {
      const next = await reader.read()
      if (next.done) {
        ended = true
        return
      }
      yield next.value
    }
  } finally {
    if (!ended) await reader.cancel().catch(() => undefined)
  }
}

/** What was read of a body already, and the rest of it. */
export async function* joined(
  first: Uint8Array,
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield first
  yield* rest
}

/** Reads a body to its end without keeping it, since git sends all before it reads a response. */
export async function discard(body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _chunk of body) continue
}

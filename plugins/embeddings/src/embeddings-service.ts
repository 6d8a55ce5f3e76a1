import {
  err,
  failure,
  ok,
  type Failure,
  type Outbound,
  type OutboundRequest,
  type Result,
  type Secrets,
} from '@amodal/sdk'
import { textStart } from '@amodal/sdk/data'
import type { Embeddings } from '@amodal/plugin-search/tokens'
import { z } from 'zod'

/** Where vectors are computed, and how. */
export interface EmbeddingsSettings {
  readonly model: string
  readonly baseUrl: string
  readonly apiKey?: string | undefined
  readonly dimensions?: number | undefined
  /** Texts of one request at most. */
  readonly batch: number
  readonly timeoutMs: number
}

interface Deps {
  readonly outbound: Outbound
  readonly secrets: Secrets
}

/** Bytes of an answer: 2,000 vectors of 3,000 numbers. */
const MAX_BYTES = 150_000_000
/** Characters of an error's body. */
const MAX_ERROR = 300

const Body = z.object({
  data: z.array(z.object({ index: z.int().min(0), embedding: z.array(z.number()).min(1) })),
})

/** Calls `POST /embeddings`; secrets are resolved at each call, so a changed key counts at once. */
export function createEmbeddings(settings: EmbeddingsSettings, deps: Deps): Embeddings {
  return {
    batch: settings.batch,
    async embed(texts, signal) {
      const request = requestFor(settings, deps.secrets, texts)
      if (!request.ok) return request
      const response = await deps.outbound.request({ ...request.value, signal })
      if (!response.ok) return response
      const { status } = response.value
      if (status !== 200)
        return err(
          failure(
            'MODEL_FAILED',
            `the model ${settings.model} for vectors answered ${status}: ${deps.secrets.mask(textStart(response.value.text(), MAX_ERROR))}`,
          ),
        )
      const vectors = vectorsIn(response.value.text(), texts.length)
      return vectors
        ? ok(vectors)
        : err(
            failure(
              'MODEL_MALFORMED',
              `the model ${settings.model} for vectors did not return one vector of the same length for each text`,
            ),
          )
    },
  }
}

function requestFor(
  { model, baseUrl, apiKey, dimensions, timeoutMs }: EmbeddingsSettings,
  secrets: Secrets,
  texts: readonly string[],
): Result<OutboundRequest, Failure> {
  const base = secrets.resolve(baseUrl, '`baseUrl` of the plugin embeddings', 'address')
  if (!base.ok) return base
  const key =
    apiKey === undefined
      ? ok(undefined)
      : secrets.resolve(apiKey, '`apiKey` of the plugin embeddings')
  if (!key.ok) return key
  return ok({
    url: `${base.value.replace(/\/+$/, '')}/embeddings`,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(key.value !== undefined && { authorization: `Bearer ${key.value}` }),
    },
    body: JSON.stringify({
      model,
      input: texts,
      encoding_format: 'float',
      ...(dimensions !== undefined && { dimensions }),
    }),
    timeoutMs,
    maxBytes: MAX_BYTES,
    // A model may run on the same machine as the agent.
    privateOrigin: base.value,
    // Vectors are computed for everybody, and belong to no run.
    lease: undefined,
  })
}

/** `undefined` where it is no list of as many vectors of one length. */
function vectorsIn(text: string, count: number): readonly Float32Array[] | undefined {
  const body = Body.safeParse(parsed(text))
  if (!body.success || body.data.data.length !== count) return undefined
  const vectors = body.data.data
    .toSorted((a, b) => a.index - b.index)
    .map(({ embedding }) => Float32Array.from(embedding))
  const length = vectors[0]?.length
  return vectors.every((vector) => vector.length === length) ? vectors : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

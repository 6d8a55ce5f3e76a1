import { type JsonObject, sha256 } from '@amodal/sdk'
import { z } from 'zod'
import type { Head } from './line.ts'
import { isSignedBy, type Signer } from './signer.ts'

/**
 * The name of the file of checkpoints in its own folder. In a folder for copies it is named after
 * its writer.
 */
export const CHECKPOINTS = 'checkpoints.jsonl'

/** What the first checkpoint of a file follows. */
export const FIRST = sha256('amodal audit checkpoints, version 1')

/**
 * A line of the file of checkpoints. `previous` is the hash of the line before, so that no line can
 * be taken out.
 */
const Chained = z.strictObject({
  v: z.literal(2),
  seq: z.int().min(1),
  previous: z.string(),
  writer: z.string(),
  process: z.string(),
  at: z.string(),
  heads: z.array(z.tuple([z.string(), z.int().min(0), z.string()])),
  key: z.string(),
  signature: z.string(),
})

/** As earlier releases wrote them: one place of one chain, and nothing about the line before. */
const Single = z.strictObject({
  tenant: z.string(),
  n: z.int(),
  hash: z.string(),
  at: z.string(),
  key: z.string(),
  signature: z.string(),
})

/**
 * Signed positions of chains, stored outside the database: truncating or rewriting a chain does not
 * change them.
 */
export interface Checkpoint {
  readonly heads: readonly (readonly [tenant: string, n: number, hash: string])[]
  readonly at: string
  readonly key: string
  /** Missing in those of earlier releases. */
  readonly link?: {
    readonly seq: number
    readonly previous: string
    readonly writer: string
    readonly process: string
  }
}

export interface Link {
  readonly seq: number
  readonly previous: string
}

export function checkpointLine(
  signer: Signer,
  { seq, previous }: Link,
  heads: ReadonlyMap<string, Head>,
  now: number,
): string {
  const content = {
    v: 2,
    seq,
    previous,
    writer: signer.writer,
    process: signer.process,
    at: new Date(now).toISOString(),
    heads: [...heads].map(([tenant, { n, hash }]) => [tenant, n, hash]),
    key: signer.key,
  }
  return JSON.stringify({ ...content, signature: signer.sign(content) })
}

/** Parses a line. The signature is verified separately, because that takes longer. */
export function readCheckpoint(
  line: string,
): { readonly checkpoint: Checkpoint; readonly isSigned: () => boolean } | undefined {
  const chained = Chained.safeParse(parsed(line))
  if (chained.success) {
    const { signature, ...content } = chained.data
    const { heads, at, key, seq, previous, writer, process } = content
    return {
      checkpoint: { heads, at, key, link: { seq, previous, writer, process } },
      isSigned: () => isSignedBy(key, content, signature),
    }
  }
  const single = Single.safeParse(parsed(line))
  if (!single.success) return undefined
  const { signature, ...content } = single.data
  const { tenant, n, hash, at, key } = content
  return {
    checkpoint: { heads: [[tenant, n, hash]], at, key },
    isSigned: () => isSignedBy(key, content, signature),
  }
}

function parsed(line: string): JsonObject | undefined {
  try {
    return JSON.parse(line) as JsonObject // the caller validates its shape
  } catch {
    return undefined
  }
}

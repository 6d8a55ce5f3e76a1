import type { Json } from '@amodal/sdk'
import type { Server } from './server.ts'
import { runPath } from './runs.ts'

/** An artifact of a run in a list. */
export interface ArtifactSummary {
  readonly id: string
  readonly version: number
  readonly type: string
  readonly title: string
}

/** Where a quote stands: an entry of the journal or a knowledge document, and characters there. */
export type CitationSource = {
  /** JSON Pointer to the text in the output; empty where the output is a text. */
  readonly path: string
  readonly start: number
  readonly end: number
} & (
  | {
      readonly kind: 'tool_outcome' | 'user_message'
      readonly entry: number
      readonly tool?: string
    }
  | { readonly kind: 'document'; readonly document: string }
)

export interface Citation {
  readonly id: number
  readonly quote: string
  readonly statement?: string
  readonly url?: string
  readonly source: CitationSource
}

/** One version of an artifact. */
export interface Artifact extends ArtifactSummary {
  readonly tags: readonly string[]
  readonly content_markdown: string | null
  readonly content_json: Json
  readonly citations: readonly Citation[]
  /** The session that wrote this version. */
  readonly session_id: string
  readonly created_at: string
}

export interface ArtifactVersions {
  readonly artifact: Artifact
  /** The newest first. */
  readonly versions: readonly {
    readonly version: number
    readonly created_at: string
  }[]
}

/** What a run wrote, the newest first. */
export const readArtifacts = async (
  server: Server,
  run: string,
): Promise<readonly ArtifactSummary[]> =>
  (
    await server.read<{ readonly artifacts: readonly ArtifactSummary[] }>(
      runPath(run, '/artifacts'),
    )
  ).artifacts

/** @param version the newest where it is left out */
export function readArtifact(
  server: Server,
  id: string,
  version: number | undefined,
): Promise<ArtifactVersions> {
  const query = new URLSearchParams({ include_versions: 'true' })
  if (version !== undefined) query.set('version', String(version))
  return server.read(`/api/platform/v1/artifacts/${encodeURIComponent(id)}?${query.toString()}`)
}

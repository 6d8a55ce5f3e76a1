import { mapTexts, type Json, type JsonObject, type OutputRedactor } from '@amodal/sdk'
import type { ArtifactRow } from './artifact-table.ts'

/** An artifact as clients see it; restricted values are taken out of its texts. */
export function artifactView(
  row: ArtifactRow,
  redactor: Pick<OutputRedactor, 'text'> | undefined,
): JsonObject {
  const text = (value: string): string => redactor?.text(value) ?? value
  const json = (value: Json): Json => mapTexts(value, text)
  return {
    id: row.id,
    version: row.version,
    type: row.type,
    title: text(row.title),
    tags: row.tags.map(text),
    content_markdown: row.markdown === null ? null : text(row.markdown),
    content_json: row.json === null ? null : json(row.json),
    citations: json(row.citations),
    content_hash: `sha256:${row.hash}`,
    bytes: row.bytes,
    session_id: row.session,
    created_at: row.created_at.toISOString(),
  }
}

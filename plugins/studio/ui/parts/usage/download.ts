import { saveFile } from '../../model/save-file.ts'
import { fieldOf, type Server } from '../../model/server.ts'

export type Format = 'csv' | 'jsonl'

/** Saves the runs of a report as a file: fetched, since a link carries no credentials. */
export async function downloadUsage(
  server: Server,
  request: string,
  format: Format,
): Promise<void> {
  const parameters = new URLSearchParams(request)
  parameters.delete('group')
  parameters.set('format', format)
  const response = await server.request(`/api/usage/export?${parameters.toString()}`, {
    signal: AbortSignal.timeout(300_000),
  })
  if (!response.ok) {
    const body: unknown = await response.json().catch(() => undefined)
    throw new Error(fieldOf(body, 'message') ?? response.statusText)
  }
  saveFile(await response.blob(), `usage.${format}`)
}
